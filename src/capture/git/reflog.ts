import { createHash } from 'node:crypto';
import { basename, dirname, join, resolve } from 'node:path';
import { listNames } from '../../lib/private-file.ts';
import { type Repository, readTail, statOrNull, walkFiles } from './repository.ts';
import type { RunGit } from './run-git.ts';

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
interface LogReader {
  /** Reads the complete logs of all HEADs, and those branch logs that were written since `sinceMs`. */
  read(repository: Repository, sinceMs: number): Promise<RepositoryLogs>;
}

type ReadLog = (path: string) => readonly ReflogEntry[];

export function createLogReader(git: RunGit): LogReader {
  const files = new Map<string, { readonly stamp: string; readonly entries: readonly ReflogEntry[] }>();
  const readFile = (path: string, sinceMs: number): readonly ReflogEntry[] => {
    const stat = statOrNull(path);
    if (stat === null || stat.mtimeMs < sinceMs) return [];
    const stamp = `${stat.size}:${stat.mtimeMs}:${stat.ino}`;
    const known = files.get(path);
    if (known?.stamp === stamp) return known.entries;
    const entries = parseReflog(readTail(path, MAX_LOG_BYTES) ?? '');
    files.set(path, { stamp, entries });
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
  const pointer = readTail(join(gitDir, 'gitdir'), MAX_SMALL_BYTES)?.trim();
  if (!pointer) return null;
  // Newer git versions can be configured to write a relative path.
  const folder = dirname(resolve(gitDir, pointer));
  return { folder, worktreeName: basename(folder), branch: headBranch(gitDir) };
}

function headBranch(gitDir: string): string | null {
  return /^ref: refs\/heads\/(.+?)\s*$/.exec(readTail(join(gitDir, 'HEAD'), MAX_SMALL_BYTES) ?? '')?.[1] ?? null;
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

/**
 * A fingerprint of the sizes and times of git's reference logs; changes whenever a HEAD moves or a push completes.
 * Costs a few system calls, so it can be checked before every query. Null when the repository no longer exists.
 */
export function readLogStamp(commonDir: string): string | null {
  if (stampOf(join(commonDir, 'HEAD')) === null) return null;
  const files = [
    'logs/HEAD',
    'reftable/tables.list',
    ...listNames(join(commonDir, 'worktrees')).map((name) => `worktrees/${name}/logs/HEAD`),
    ...[...walkFiles(join(commonDir, 'logs/refs/remotes'))].map((name) => `logs/refs/remotes/${name}`),
  ];
  const hash = createHash('sha256');
  for (const file of files.slice(0, MAX_LOG_FILES)) hash.update(`${file} ${stampOf(join(commonDir, file)) ?? '-'}\n`);
  return hash.digest('hex').slice(0, 32);
}

function stampOf(path: string): string | null {
  const stat = statOrNull(path);
  return stat === null ? null : `${stat.size}:${stat.mtimeMs}`;
}

/** One line of a git reference log. */
export interface ReflogEntry {
  readonly oldSha: string;
  readonly newSha: string;
  readonly atSeconds: number;
  readonly message: string;
}

const LINE = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) .*> (\d{1,12}) [+-]\d{4}(?:\t(.*))?$/;

/** Parses a log file, oldest entry first. Skips truncated and malformed lines. */
export function parseReflog(text: string): readonly ReflogEntry[] {
  return text.split('\n').flatMap((line) => {
    const [, oldSha, newSha, seconds, message = ''] = LINE.exec(line) ?? [];
    return oldSha === undefined || newSha === undefined
      ? []
      : [{ oldSha, newSha, atSeconds: Number(seconds), message }];
  });
}

/** Format for `git log -g`, which lists the newest entry first and only the new commit of each change. */
const REFLOG_FORMAT = '--format=%H%x00%gd%x00%gs%x00';

function parseReflogOutput(text: string): readonly ReflogEntry[] {
  const fields = text.split('\0');
  const newestFirst: Omit<ReflogEntry, 'oldSha'>[] = [];
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const seconds = /@\{(\d{1,12})\}$/.exec(fields[at + 1] ?? '')?.[1];
    const newSha = (fields[at] ?? '').trim();
    if (seconds !== undefined) newestFirst.push({ newSha, atSeconds: Number(seconds), message: fields[at + 2] ?? '' });
  }
  const oldest = '0'.repeat(newestFirst[0]?.newSha.length ?? 0);
  return newestFirst.map((entry, at) => ({ ...entry, oldSha: newestFirst[at + 1]?.newSha ?? oldest })).toReversed();
}

export type HeadEvent = { readonly entry: ReflogEntry; readonly branch: string | null } & (
  | { readonly kind: 'commit'; readonly how: string; readonly subject: string }
  | { readonly kind: 'merge'; readonly how: 'fast-forward' | 'merge'; readonly merged: string | null }
  | { readonly kind: 'rebase'; readonly how: 'finish' | 'abort'; readonly from: string; readonly commits: number }
  | { readonly kind: 'reset'; readonly to: string }
  | { readonly kind: 'checkout'; readonly from: string; readonly to: string }
);

const FULL_SHA = /^[0-9a-f]{40,64}$/;
const CHECKOUT = /^checkout: moving from (.*) to (.*)$/;
const RENAMED = /^Branch: renamed refs\/heads\/(\S+) to refs\/heads\/(\S+)$/;
const COMMIT = /^(?:commit(?: \(([a-z-]+)\))?|(cherry-pick|revert|am)): (.*)$/;
const MERGE = /^merge ([^:]+): (.*)$/;
/** `pull --rebase` puts its arguments before the step, and they may contain a URL with a password. */
const REBASE_STEP = /^(?:rebase|pull\b.*)(?: -i)? \((start|pick|finish|abort|[a-z]+)\)(?::|$)/;
const OLD_REBASE = /^rebase(?: -i)?(?: \(.*\))?(?:: (checkout)| (finished|aborting))/;

/** Interprets the log of a HEAD, oldest entry first. `branch` is the current branch. */
export function interpretHeadLog(entries: readonly ReflogEntry[], branch: string | null): readonly HeadEvent[] {
  const branches = branchesOf(entries, branch);
  const events: HeadEvent[] = [];
  let rebase: { from: string; commits: number } | null = null;
  for (const [at, entry] of entries.entries()) {
    const common = { entry, branch: branches[at] ?? null };
    const step = rebaseStep(entry.message);
    if (step === 'start') rebase = { from: entry.oldSha, commits: 0 };
    else if (step === 'finish' || step === 'abort') {
      events.push({ ...common, kind: 'rebase', how: step, ...(rebase ?? { from: entry.oldSha, commits: 0 }) });
      rebase = null;
    } else if (step !== null) {
      if (rebase !== null) rebase.commits++;
    } else events.push(...interpret(common));
  }
  return events;
}

function rebaseStep(message: string): string | null {
  const step = REBASE_STEP.exec(message)?.[1];
  if (step !== undefined) return step;
  const old = OLD_REBASE.exec(message);
  if (old === null) return message.startsWith('rebase') ? 'pick' : null;
  return old[1] ? 'start' : old[2] === 'finished' ? 'finish' : 'abort';
}

function interpret(common: { readonly entry: ReflogEntry; readonly branch: string | null }): HeadEvent[] {
  const { message, oldSha, newSha } = common.entry;
  const commit = COMMIT.exec(message);
  if (commit?.[1] === 'merge') return [{ ...common, kind: 'merge', how: 'merge', merged: null }];
  if (commit) {
    return [{ ...common, kind: 'commit', how: commit[1] ?? commit[2] ?? 'commit', subject: commit[3] ?? '' }];
  }
  const merge = MERGE.exec(message);
  if (merge) return [{ ...common, kind: 'merge', how: howMerged(merge[2] ?? ''), merged: merge[1] ?? null }];
  if (/^pull\b.*: /.test(message)) return [{ ...common, kind: 'merge', how: howMerged(message), merged: null }];
  const checkout = CHECKOUT.exec(message);
  if (checkout) return [{ ...common, kind: 'checkout', from: checkout[1] ?? '', to: checkout[2] ?? '' }];
  // A stash resets to the current HEAD, which is not an event.
  const reset = /^reset: moving to (.*)$/.exec(message);
  return reset && oldSha !== newSha ? [{ ...common, kind: 'reset', to: reset[1] ?? '' }] : [];
}

function howMerged(text: string): 'fast-forward' | 'merge' {
  return /fast-forward$/i.test(text) ? 'fast-forward' : 'merge';
}

/** The branch after each entry. Computed backwards, because only the origin of a checkout is reliable. */
function branchesOf(entries: readonly ReflogEntry[], now: string | null): readonly (string | null)[] {
  const branches: (string | null)[] = [];
  let branch = now;
  for (const { message } of entries.toReversed()) {
    branches.push(branch);
    const from = CHECKOUT.exec(message)?.[1];
    const renamed = RENAMED.exec(message);
    if (from !== undefined) branch = FULL_SHA.test(from) ? null : from;
    else if (renamed && renamed[2] === branch) branch = renamed[1] ?? null;
  }
  return branches.toReversed();
}
