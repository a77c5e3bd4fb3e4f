import { basename, dirname, join, resolve } from 'node:path';
import type { Repository } from './find-repository.ts';
import { readSmallFile, statOrNull } from './read-small-file.ts';
import { parseReflog, parseReflogOutput, REFLOG_FORMAT, type ReflogEntry } from './reflog.ts';
import type { RunGit } from './run-git.ts';
import { listNames, walkFiles } from './list-files.ts';

/** Only the end of longer logs is read: about 20,000 changes. */
const MAX_LOG_BYTES = 4 * 1024 * 1024;
const MAX_SMALL_BYTES = 16 * 1024;
const MAX_WORKTREES = 200;
const MAX_LOG_FILES = 2_000;

export interface HeadLog {
  /** Root of the working tree, which may have been deleted. */
  readonly folder: string;
  readonly worktreeName: string | null;
  /** The current branch of this HEAD; null when detached. */
  readonly branch: string | null;
  readonly entries: readonly ReflogEntry[];
}

export interface RefLog {
  /** Without `refs/heads/` or `refs/remotes/`. */
  readonly name: string;
  readonly entries: readonly ReflogEntry[];
}

export interface RepositoryLogs {
  readonly heads: readonly HeadLog[];
  readonly branches: readonly RefLog[];
  readonly remotes: readonly RefLog[];
}

/** Caches each log until its file changes. */
export interface LogReader {
  /** Reads the complete logs of all HEADs, and those branch logs that were written since `sinceMs`. */
  read(repository: Repository, sinceMs: number): Promise<RepositoryLogs>;
}

type ReadLog = (path: string) => readonly ReflogEntry[];

export function createLogReader(git: RunGit): LogReader {
  const files = new Map<string, { readonly look: string; readonly entries: readonly ReflogEntry[] }>();
  const readFile = (path: string, sinceMs: number): readonly ReflogEntry[] => {
    const stat = statOrNull(path);
    if (stat === null || stat.mtimeMs < sinceMs) return [];
    const look = `${stat.size}:${stat.mtimeMs}:${stat.ino}`;
    const known = files.get(path);
    if (known?.look === look) return known.entries;
    const entries = parseReflog(readSmallFile(path, MAX_LOG_BYTES) ?? '');
    files.set(path, { look, entries });
    return entries;
  };
  return {
    read: async (repository, sinceMs) =>
      isReftable(repository)
        ? readByGit(git, repository)
        : readFiles(
            repository,
            (path) => readFile(path, 0),
            (path) => readFile(path, sinceMs),
          ),
  };
}

function readFiles({ commonDir, mainRoot }: Repository, readHead: ReadLog, readRef: ReadLog): RepositoryLogs {
  const main = { folder: mainRoot, worktreeName: null, branch: headBranch(commonDir) };
  const trees = listNames(join(commonDir, 'worktrees')).slice(0, MAX_WORKTREES);
  return {
    heads: [
      { ...main, entries: readHead(join(commonDir, 'logs/HEAD')) },
      ...trees.flatMap((name) => {
        const gitDir = join(commonDir, 'worktrees', name);
        const tree = describeWorktree(gitDir);
        return tree === null ? [] : [{ ...tree, entries: readHead(join(gitDir, 'logs/HEAD')) }];
      }),
    ],
    branches: readRefs(join(commonDir, 'logs/refs/heads'), readRef),
    remotes: readRefs(join(commonDir, 'logs/refs/remotes'), readRef),
  };
}

function describeWorktree(gitDir: string): Omit<HeadLog, 'entries'> | null {
  const pointer = readSmallFile(join(gitDir, 'gitdir'), MAX_SMALL_BYTES)?.trim();
  if (!pointer) return null;
  // Newer git versions can be configured to write a relative path.
  const folder = dirname(resolve(gitDir, pointer));
  return { folder, worktreeName: basename(folder), branch: headBranch(gitDir) };
}

function headBranch(gitDir: string): string | null {
  return /^ref: refs\/heads\/(.+?)\s*$/.exec(readSmallFile(join(gitDir, 'HEAD'), MAX_SMALL_BYTES) ?? '')?.[1] ?? null;
}

function readRefs(folder: string, read: ReadLog): readonly RefLog[] {
  return [...walkFiles(folder)]
    .slice(0, MAX_LOG_FILES)
    .map((name) => ({ name, entries: read(join(folder, name)) }))
    .filter(({ entries }) => entries.length > 0);
}

function isReftable({ commonDir }: Repository): boolean {
  return statOrNull(join(commonDir, 'reftable'))?.isDirectory() === true;
}

/** Repositories in the newer reftable format: asks git for the logs of HEAD and of pushes. */
export async function readByGit(git: RunGit, repository: Repository): Promise<RepositoryLogs> {
  const { root, mainRoot, worktreeName } = repository;
  const trees =
    worktreeName === null
      ? [{ root, worktreeName }]
      : [
          { root, worktreeName },
          { root: mainRoot, worktreeName: null },
        ];
  const heads = await Promise.all(
    trees.map(async (tree) => {
      const { stdout } = await git(tree.root, ['symbolic-ref', '--quiet', '--short', 'HEAD']);
      const entries = await logByGit(git, tree.root, 'HEAD');
      return { folder: tree.root, worktreeName: tree.worktreeName, branch: stdout.trim() || null, entries };
    }),
  );
  const { stdout } = await git(root, ['for-each-ref', '--format=%(refname)', 'refs/remotes']);
  const names = stdout.split('\n').filter((name) => name.startsWith('refs/remotes/') && !name.endsWith('/HEAD'));
  const remotes: RefLog[] = [];
  for (const name of names.slice(0, MAX_WORKTREES)) {
    remotes.push({ name: name.slice('refs/remotes/'.length), entries: await logByGit(git, root, name) });
  }
  return { heads, branches: [], remotes };
}

async function logByGit(git: RunGit, root: string, ref: string): Promise<readonly ReflogEntry[]> {
  const { stdout } = await git(root, ['log', '-g', '--date=unix', REFLOG_FORMAT, ref, '--']);
  return parseReflogOutput(stdout);
}
