import { statSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { listNames } from './git/repository.ts';
import type { IgnoreProject } from './discover.ts';

const MAX_ENCODED_CHARS = 200;

/** Encodes a working directory as Claude Code does: every UTF-16 unit except letters and digits becomes `-`. */
export function encodeProjectPath(path: string): string {
  return path.replaceAll(/[^A-Za-z0-9]/g, '-').slice(0, MAX_ENCODED_CHARS);
}

/**
 * Returns true when a project folder is named after this directory or one below it. Compares prefixes, since long names
 * are truncated.
 */
export function encodesFolder(folderName: string, path: string): boolean {
  const encoded = encodeProjectPath(path);
  return (
    folderName === encoded || folderName.startsWith(`${encoded}-`) || folderName.slice(0, MAX_ENCODED_CHARS) === encoded
  );
}

/**
 * Finds the existing directory that a folder name encodes; the name alone is ambiguous between `-` and `/`. Only a
 * fallback for files whose lines name no directory. Null when no such directory exists.
 */
export function decodeProjectFolder(folderName: string, root = '/'): string | null {
  const target = folderName.replace(/^-/, '');
  return find(root, target, MAX_STEPS);
}

const MAX_STEPS = 40;

function find(folder: string, rest: string, stepsLeft: number): string | null {
  if (rest === '') return folder;
  if (stepsLeft === 0) return null;
  // Longest names first: `fuel-code` before `fuel`, as a person would read it.
  const fitting = listNames(folder)
    .filter((name) => rest === encodeProjectPath(name) || rest.startsWith(`${encodeProjectPath(name)}-`))
    .filter((name) => isFolder(join(folder, name)))
    .toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1));
  for (const name of fitting) {
    const found = find(join(folder, name), rest.slice(encodeProjectPath(name).length + 1), stepsLeft - 1);
    if (found !== null) return found;
  }
  return null;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

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
