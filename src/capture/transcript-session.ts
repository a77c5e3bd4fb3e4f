import { closeSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import type { FoundFile } from './discover.ts';

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

const PEEK_BYTES = 64 * 1024;
const SESSION_ID = /"sessionId"\s*:\s*"([A-Za-z0-9][A-Za-z0-9._:-]{0,127})"/;

const ANSWER = /"type"\s*:\s*"assistant"/;

/**
 * Reads the session id from the first lines of a file, for layouts whose file name does not contain it. Answers have
 * precedence: up to 2.1.2, the prompt of an agent of a resumed session names the session that the client had started.
 */
export function peekSessionId(path: string | Buffer): string | null {
  const buffer = Buffer.alloc(PEEK_BYTES);
  let length = 0;
  const fd = openSync(path, 'r');
  try {
    length = readSync(fd, buffer);
  } finally {
    closeSync(fd);
  }
  const text = buffer.toString('latin1', 0, length);
  const answer = text.split('\n').find((line) => ANSWER.test(line) && SESSION_ID.test(line));
  return SESSION_ID.exec(answer ?? text)?.[1] ?? null;
}
