import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { IgnoreProject } from './discover.ts';
import { decodeProjectFolder, folderStandsFor } from './project-folder.ts';

const MARKER = '.fuel-code-ignore';

/**
 * J14: decides by the names of folders, before anything is opened. A name may stand for more than one path (`a-b` or
 * `a/b`); then it is left out, since keeping too little can be mended and keeping too much cannot.
 */
export function createIgnoreRule(paths: readonly string[]): IgnoreProject {
  const known = new Map<string, boolean>();
  return (folderName) => {
    const answer =
      known.get(folderName) ?? (paths.some((path) => folderStandsFor(folderName, path)) || hasMarker(folderName));
    known.set(folderName, answer);
    return answer;
  };
}

function hasMarker(folderName: string): boolean {
  const path = decodeProjectFolder(folderName);
  return path !== null && existsSync(join(path, MARKER));
}
