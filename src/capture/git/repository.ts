import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** A repository as seen from one of its working trees. */
export interface Repository {
  /** Root of the working tree; the git directory of a bare repository. */
  readonly root: string;
  /** Belongs to this working tree: HEAD and its log. */
  readonly gitDir: string;
  /** Shared by all working trees: configuration, branches, objects. */
  readonly commonDir: string;
  /** Root of the main working tree; the common directory of a bare repository. */
  readonly mainRoot: string;
  /** Null in the main working tree. */
  readonly worktreeName: string | null;
}

const MAX_LEVELS = 100;
const MAX_POINTER_BYTES = 16 * 1024;

/**
 * Finds the repository that contains a folder by reading files only: an import asks about a thousand folders, and
 * starting git a thousand times takes a minute. Null outside a repository and for a broken `.git` pointer, which git
 * rejects too.
 */
export function findRepository(folder: string): Repository | null {
  let at = realPath(folder);
  for (let level = 0; at !== null && level < MAX_LEVELS; level++) {
    const dotGit = join(at, '.git');
    const kind = kindOf(dotGit);
    if (kind === 'file') return fromPointer(at, dotGit);
    if (kind === 'folder' && isGitDir(dotGit)) return describe(at, dotGit);
    if (isGitDir(at)) return describe(basename(at) === '.git' ? dirname(at) : at, at);
    const parent = dirname(at);
    at = parent === at ? null : parent;
  }
  return null;
}

/** Linked working trees and submodules have a `.git` file instead of a folder. */
function fromPointer(root: string, file: string): Repository | null {
  const target = /^gitdir:\s*(.+?)\s*$/s.exec(readTail(file, MAX_POINTER_BYTES) ?? '')?.[1];
  if (target === undefined) return null;
  const gitDir = realPath(resolve(root, target));
  return gitDir !== null && kindOf(join(gitDir, 'HEAD')) === 'file' ? describe(root, gitDir) : null;
}

function describe(root: string, gitDir: string): Repository | null {
  const pointer = readTail(join(gitDir, 'commondir'), MAX_POINTER_BYTES)?.trim();
  if (!pointer) return { root, gitDir, commonDir: gitDir, mainRoot: root, worktreeName: null };
  const commonDir = realPath(resolve(gitDir, pointer));
  if (commonDir === null || !isGitDir(commonDir)) return null;
  const mainRoot = basename(commonDir) === '.git' ? dirname(commonDir) : commonDir;
  return { root, gitDir, commonDir, mainRoot, worktreeName: basename(root) };
}

function isGitDir(path: string): boolean {
  return (
    kindOf(join(path, 'HEAD')) === 'file' &&
    kindOf(join(path, 'objects')) === 'folder' &&
    kindOf(join(path, 'refs')) === 'folder'
  );
}

function kindOf(path: string): 'file' | 'folder' | null {
  const stat = statOrNull(path);
  if (stat === null) return null;
  return stat.isFile() ? 'file' : stat.isDirectory() ? 'folder' : null;
}

function realPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

export interface Remote {
  readonly name: string;
  readonly url: string;
}

const MAX_CONFIG_BYTES = 1024 * 1024;
const MAX_REF_BYTES = 4 * 1024;

/** Lists the remotes of a repository, origin first, then by name. */
export function readRemotes({ commonDir }: Repository): readonly Remote[] {
  const urls = new Map<string, string>();
  for (const { section, subsection, key, value } of parseGitConfig(
    readTail(join(commonDir, 'config'), MAX_CONFIG_BYTES) ?? '',
  )) {
    const isUrl = section === 'remote' && key === 'url' && subsection !== null && value !== '';
    if (isUrl && !urls.has(subsection)) urls.set(subsection, value);
  }
  return [...urls]
    .map(([name, url]) => ({ name, url }))
    .toSorted((a, b) => Number(b.name === 'origin') - Number(a.name === 'origin') || (a.name < b.name ? -1 : 1));
}

/** The default branch of a remote as recorded when it was cloned. */
export function readDefaultBranch({ commonDir }: Repository, remote: string): string | null {
  // The name comes from a file and must not escape the remotes folder.
  if (/(?:^|\/)\.\.?(?:\/|$)|\0/.test(remote)) return null;
  const text = readTail(join(commonDir, 'refs/remotes', remote, 'HEAD'), MAX_REF_BYTES) ?? '';
  const prefix = `ref: refs/remotes/${remote}/`;
  return text.startsWith(prefix) ? text.slice(prefix.length).trim() || null : null;
}

interface ConfigEntry {
  /** In lower case; the subsection keeps its case. */
  readonly section: string;
  readonly subsection: string | null;
  readonly key: string;
  readonly value: string;
}

const SECTION = /^\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b' };

/** Parses the entries of a git configuration file in order; skips lines that git rejects. */
export function parseGitConfig(text: string): readonly ConfigEntry[] {
  const entries: ConfigEntry[] = [];
  let section = '';
  let subsection: string | null = null;
  for (const line of joinContinued(text)) {
    const head = SECTION.exec(line);
    if (head) {
      const [name = '', ...dotted] = (head[1] ?? '').split('.');
      section = name.toLowerCase();
      subsection = head[2]?.replaceAll(/\\(.)/gs, '$1') ?? (dotted.length > 0 ? dotted.join('.').toLowerCase() : null);
    }
    const [, key, value] =
      /^\s*([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?$/s.exec(line.slice(head?.[0].length ?? 0)) ?? [];
    if (key !== undefined)
      entries.push({ section, subsection, key: key.toLowerCase(), value: parseValue(value ?? '') });
  }
  return entries;
}

function joinContinued(text: string): readonly string[] {
  return text
    .replace(/^\ufeff/, '')
    .replaceAll('\r\n', '\n')
    .replaceAll(/(?<!\\)((?:\\\\)*)\\\n/g, '$1')
    .split('\n');
}

/** Drops quotes and resolves escapes; a comment outside quotes ends the value. */
function parseValue(raw: string): string {
  let value = '';
  let kept = 0;
  let isQuoted = false;
  for (let at = 0; at < raw.length; at++) {
    const char = raw.charAt(at);
    if (char === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (char === '#' || char === ';')) break;
    else if (char === '\\') {
      const next = raw.charAt(++at);
      value += ESCAPES[next] ?? next;
    } else value += char;
    if (isQuoted || !/\s/.test(char)) kept = value.length;
  }
  return value.slice(0, kept);
}

const MAX_DEPTH = 12;

/** Paths of the files below a folder, relative to it. */
export function* walkFiles(folder: string, prefix = '', depthLeft = MAX_DEPTH): Generator<string> {
  for (const entry of listEntries(join(folder, prefix))) {
    const name = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
    if (entry.isFile()) yield name;
    else if (entry.isDirectory() && depthLeft > 0) yield* walkFiles(folder, name, depthLeft - 1);
  }
}

/** A folder that does not exist or cannot be read counts as empty. */
function listEntries(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/**
 * Reads the last bytes of a regular file as text. Null for anything else, since a repository may hold a FIFO or a
 * device under any name, and for unreadable files.
 */
export function readTail(path: string, maxBytes: number): string | null {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return null;
    const buffer = Buffer.alloc(Math.min(stat.size, maxBytes));
    const length = readSync(fd, buffer, 0, buffer.length, Math.max(0, stat.size - maxBytes));
    return buffer.toString('utf8', 0, length);
  } catch {
    return null;
  } finally {
    closeSync(fd);
  }
}

/** Null for a missing or inaccessible path. */
export function statOrNull(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}
