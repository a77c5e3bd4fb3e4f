import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { IgnoreProject } from './discover.ts';
import { decodeProjectFolder, encodesFolder } from './project-folder.ts';

const MARKER = '.fuel-code-ignore';

/**
 * J14: decides by folder name, before anything is opened. A name can be ambiguous (`a-b` or `a/b`); then the project is
 * ignored, because storing too little can be fixed later and storing too much cannot.
 */
export function createIgnoreRule(paths: readonly string[]): IgnoreProject {
  const known = new Map<string, boolean>();
  return (folderName) => {
    const answer =
      known.get(folderName) ?? (paths.some((path) => encodesFolder(folderName, path)) || hasMarker(folderName));
    known.set(folderName, answer);
    return answer;
  };
}

function hasMarker(folderName: string): boolean {
  const path = decodeProjectFolder(folderName);
  return path !== null && existsSync(join(path, MARKER));
}
