import { basename } from 'node:path';
import type { FoundFile } from './discover.ts';
import { peekSessionId } from './read-new-bytes.ts';

const MAX_ID_CHARS = 128;

/**
 * The session that a transcript belongs to: the one in its path, else the first one that its lines name. A file that
 * names none becomes a session of its own, named after the file.
 */
export function sessionOfTranscript(file: Pick<FoundFile, 'path' | 'absolutePath' | 'sessionId'>): string {
  return file.sessionId ?? peekSessionId(file.absolutePath) ?? sessionFromName(file.path);
}

function sessionFromName(path: string): string {
  const stem = basename(path).replace(/\..*$/, '');
  const id = stem.replaceAll(/[^A-Za-z0-9._:-]/g, '-').replace(/^[^A-Za-z0-9]+/, '');
  return id.slice(0, MAX_ID_CHARS) || 'unnamed';
}
