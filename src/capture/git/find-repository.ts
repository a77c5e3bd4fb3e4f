import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { readSmallFile, statOrNull } from './read-small-file.ts';

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
  const target = /^gitdir:\s*(.+?)\s*$/s.exec(readSmallFile(file, MAX_POINTER_BYTES) ?? '')?.[1];
  if (target === undefined) return null;
  const gitDir = realPath(resolve(root, target));
  return gitDir !== null && kindOf(join(gitDir, 'HEAD')) === 'file' ? describe(root, gitDir) : null;
}

function describe(root: string, gitDir: string): Repository | null {
  const pointer = readSmallFile(join(gitDir, 'commondir'), MAX_POINTER_BYTES)?.trim();
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
