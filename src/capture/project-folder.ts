import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isFolder, listNames } from '../lib/private-file.ts';
import type { IgnoreProject } from './walk-home.ts';

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
 * Finds the existing directory that a folder name encodes; the name alone is ambiguous between `-` and `/`. For files
 * whose lines name no directory, and for the marker of ignored projects. Null when no such directory exists.
 */
export function decodeProjectFolder(folderName: string, root = '/', list = listEncoded): string | null {
  const target = folderName.replace(/^-/, '');
  return find({ folder: root, rest: target, stepsLeft: MAX_STEPS }, list);
}

const MAX_STEPS = 40;

interface Place {
  readonly folder: string;
  readonly rest: string;
  readonly stepsLeft: number;
}

interface EncodedName {
  readonly name: string;
  readonly encoded: string;
}

function listEncoded(folder: string): readonly EncodedName[] {
  return listNames(folder).map((name) => ({ name, encoded: encodeProjectPath(name) }));
}

function find({ folder, rest, stepsLeft }: Place, list: typeof listEncoded): string | null {
  if (rest === '') return folder;
  if (stepsLeft === 0) return null;
  // Longest names first: `fuel-code` before `fuel`, as a person would read it.
  const fitting = list(folder)
    .filter(
      ({ encoded }) => rest.startsWith(encoded) && (rest.length === encoded.length || rest[encoded.length] === '-'),
    )
    .filter(({ name }) => isFolder(join(folder, name)))
    .toSorted((a, b) => b.name.length - a.name.length || (a.name < b.name ? -1 : 1));
  for (const { name, encoded } of fitting) {
    const left = rest.slice(encoded.length + 1);
    const found = find({ folder: join(folder, name), rest: left, stepsLeft: stepsLeft - 1 }, list);
    if (found !== null) return found;
  }
  return null;
}

const MARKER = '.fuel-code-ignore';

/**
 * J14: decides by folder name, before anything is opened. A name can be ambiguous (`a-b` or `a/b`); then the project is
 * ignored, because storing too little can be fixed later and storing too much cannot.
 */
export function createIgnoreRule(paths: readonly string[]): IgnoreProject {
  const known = new Map<string, boolean>();
  const list = listOncePerTask();
  return (folderName) => {
    const answer =
      known.get(folderName) ?? (paths.some((path) => encodesFolder(folderName, path)) || hasMarker(folderName, list));
    known.set(folderName, answer);
    return answer;
  };
}

/** Project folders of one home have most of their path in common. A walk is synchronous, so nothing changes meanwhile. */
function listOncePerTask(): typeof listEncoded {
  const listed = new Map<string, readonly EncodedName[]>();
  return (folder) => {
    const names = listed.get(folder) ?? listEncoded(folder);
    if (listed.size === 0) queueMicrotask(() => listed.clear());
    listed.set(folder, names);
    return names;
  };
}

function hasMarker(folderName: string, list: typeof listEncoded): boolean {
  const path = decodeProjectFolder(folderName, '/', list);
  return path !== null && existsSync(join(path, MARKER));
}
