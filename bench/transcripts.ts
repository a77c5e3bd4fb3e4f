import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { classifyPath } from '../src/capture/classify-path.ts';
import { sessionOfTranscript } from '../src/capture/transcript-session.ts';

/** Subfolders of a session that contain no transcripts. */
const OTHER_FOLDERS: ReadonlySet<string> = new Set(['tool-results', 'memory', 'scripts']);

/** Every .jsonl file below the folder, as relative paths in a machine-independent order. */
export function listTranscripts(root: string): readonly string[] {
  const found: string[] = [];
  const walk = (folder: string): void => {
    for (const entry of readdirSync(folder === '' ? root : `${root}/${folder}`, { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isFile() && entry.name.endsWith('.jsonl')) found.push(path);
      else if (entry.isDirectory() && !OTHER_FOLDERS.has(entry.name)) walk(path);
    }
  };
  walk('');
  return found.toSorted();
}

/** The same for the usage scan. */
export function scannedFiles(root: string) {
  return listTranscripts(root).map((path) => {
    const absolutePath = join(root, path);
    const { sessionId = null, agentId = null } = classifyPath(`projects/${path}`) ?? {};
    return {
      path,
      absolutePath,
      sessionId: sessionOfTranscript({ path, absolutePath, sessionId }),
      agentId,
    };
  });
}
