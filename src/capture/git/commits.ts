import { interpretHeadLog, type RepositoryLogs } from './reflog.ts';
import type { Repository } from './repository.ts';
import type { RunGit } from './run-git.ts';

interface CommitFile {
  readonly path: string;
  readonly insertions: number;
  readonly deletions: number;
}

export interface Commit {
  readonly sha: string;
  readonly parents: readonly string[];
  readonly authorName: string;
  readonly authorEmail: string;
  readonly committerEmail: string;
  readonly authoredAt: string;
  readonly committedAtMs: number;
  readonly message: string;
  /** Null when git could not diff the commit because objects are missing or it timed out. */
  readonly stats: CommitStats | null;
}

interface CommitStats {
  readonly filesChanged: number;
  readonly insertions: number;
  readonly deletions: number;
  /** The first MAX_COMMIT_FILES only. */
  readonly files: readonly CommitFile[];
}

const MAX_COMMIT_FILES = 100;
/** Commits per git process: starting one costs as much as reading ten commits. */
const BATCH_COMMITS = 200;
const MAX_KNOWN_COMMITS = 20_000;
/** Starts a commit in the output; its fields end with NUL, which cannot occur in a message. */
const MARK = '\u0001';
const FIELDS = ['%H', '%P', '%an', '%ae', '%ce', '%aI', '%ct', '%B'];
const FORMAT = `--format=%x01${FIELDS.join('%x00')}%x00`;
const DIFF = ['--numstat', '-M', '--diff-merges=first-parent', '--no-ext-diff', '--no-textconv', '--submodule=short'];

export interface CommitReader {
  /**
   * Reads the existing commits among `shas`. From the second call for a folder on, `nearby` commits are read too: a
   * caller that goes through session after session will ask for them, one that follows a live session will not.
   */
  read(folder: string, shas: readonly string[], nearby: readonly string[]): Promise<ReadonlyMap<string, Commit>>;
}

/** Commits never change, so results are cached without expiry. */
export function createCommitReader(git: RunGit): CommitReader {
  const known = new Map<string, Commit | null>();
  const queriedFolders = new Set<string>();
  const load = async (folder: string, shas: readonly string[], hasDiff: boolean): Promise<boolean> => {
    const args = ['log', '--no-walk=unsorted', '--ignore-missing', '-z', FORMAT, ...(hasDiff ? DIFF : ['-s'])];
    const { stdout, failure } = await git(folder, [...args, ...shas, '--']);
    if (failure !== null) return false;
    for (const sha of shas) known.set(sha, null);
    for (const commit of parseCommits(stdout, hasDiff)) known.set(commit.sha, commit);
    return true;
  };
  return {
    read: async (folder, shas, nearby) => {
      if (known.size > MAX_KNOWN_COMMITS) known.clear();
      const missing = shas.filter((sha) => !known.has(sha));
      for (let at = 0; at < missing.length; at += BATCH_COMMITS) {
        const wanted = missing.slice(at, at + BATCH_COMMITS);
        const along = queriedFolders.has(folder)
          ? nearby.filter((sha) => !known.has(sha) && !wanted.includes(sha))
          : [];
        queriedFolders.add(folder);
        const batch = [...wanted, ...along.slice(0, BATCH_COMMITS - wanted.length)];
        // If one commit is too large to diff, the others keep their statistics and it keeps its message.
        if (await load(folder, batch, true)) continue;
        for (const sha of wanted) if (!(await load(folder, [sha], true))) await load(folder, [sha], false);
      }
      return new Map(shas.flatMap((sha) => pairOf(sha, known.get(sha))));
    },
  };
}

function pairOf(sha: string, commit: Commit | null | undefined): [string, Commit][] {
  return commit ? [[sha, commit]] : [];
}

/** Reads the commits on local branches within a time range, for repositories without reference logs. */
export async function readCommitsInTime(
  git: RunGit,
  folder: string,
  span: { readonly since: string; readonly until: string; readonly max: number },
): Promise<readonly Commit[]> {
  const bounds = [`--since=${span.since}`, `--until=${span.until}`, `--max-count=${span.max}`];
  const { stdout } = await git(folder, ['log', '--branches', 'HEAD', '-z', FORMAT, ...DIFF, ...bounds, '--']);
  return parseCommits(stdout, true);
}

function parseCommits(text: string, hasDiff: boolean): readonly Commit[] {
  const commits: Commit[] = [];
  const tokens = text.split('\0');
  let at = 0;
  while (at < tokens.length) {
    if (!isHead(tokens[at])) {
      at++;
      continue;
    }
    const fields = tokens.slice(at, at + FIELDS.length);
    at += FIELDS.length;
    const files: CommitFile[] = [];
    for (; at < tokens.length && !isHead(tokens[at]); at++) {
      const [, plus, minus, path] = /^\n*(\d+|-)\t(\d+|-)\t(.*)$/s.exec(tokens[at] ?? '') ?? [];
      if (plus === undefined) continue;
      // The two names of a renamed file follow as separate tokens.
      const name = path || tokens[(at += 2)];
      files.push({ path: name ?? '', insertions: Number(plus) || 0, deletions: Number(minus) || 0 });
    }
    if (fields.length === FIELDS.length) commits.push(toCommit(fields, hasDiff ? files : null));
  }
  return commits;
}

function isHead(token: string | undefined): boolean {
  return token?.startsWith(MARK) === true;
}

function toCommit(fields: readonly string[], files: readonly CommitFile[] | null): Commit {
  const [
    sha = '',
    parents = '',
    authorName = '',
    authorEmail = '',
    committerEmail = '',
    authoredAt = '',
    time,
    message,
  ] = fields;
  return {
    sha: sha.slice(MARK.length),
    parents: parents.split(' ').filter(Boolean),
    authorName,
    authorEmail,
    committerEmail,
    authoredAt,
    committedAtMs: Number(time) * 1_000,
    message: message?.trim() ?? '',
    stats: files && {
      filesChanged: files.length,
      insertions: files.reduce((sum, { insertions }) => sum + insertions, 0),
      deletions: files.reduce((sum, { deletions }) => sum + deletions, 0),
      files: files.slice(0, MAX_COMMIT_FILES),
    },
  };
}

/** Only the newest commits of a longer rebase are marked. */
const MAX_REBASED = 500;
const MAX_REBASES = 50;

interface ReplacementReader {
  /** Maps each commit that an amend or rebase replaced since `sinceMs` to its replacement. */
  read(repository: Repository, logs: RepositoryLogs, sinceMs: number): Promise<ReadonlyMap<string, string>>;
}

/** Create one per run; results are cached because the outcome of a rebase does not change. */
export function createReplacementReader(git: RunGit): ReplacementReader {
  const rebased = new Map<string, readonly string[]>();
  const listRebased = async (root: string, from: string, to: string): Promise<readonly string[]> => {
    const key = `${from} ${to}`;
    const known = rebased.get(key) ?? (await readRebased(git, root, from, to));
    rebased.set(key, known);
    return known;
  };
  return {
    read: async ({ root }, { heads }, sinceMs) => {
      const replaced = new Map<string, string>();
      const events = heads.flatMap(({ entries, branch }) => interpretHeadLog(entries, branch));
      const recent = events.filter(({ entry }) => entry.atSeconds * 1_000 >= sinceMs);
      for (const event of recent) {
        if (event.kind === 'commit' && event.how === 'amend') replaced.set(event.entry.oldSha, event.entry.newSha);
      }
      const rebases = recent.filter((event) => event.kind === 'rebase').filter(({ how }) => how === 'finish');
      for (const { from, entry } of rebases.slice(-MAX_REBASES)) {
        for (const sha of await listRebased(root, from, entry.newSha)) replaced.set(sha, entry.newSha);
      }
      return replaced;
    },
  };
}

/** Commits that the branch had before a rebase and no longer has. Empty when git has already pruned them. */
async function readRebased(git: RunGit, root: string, from: string, to: string): Promise<readonly string[]> {
  if (from === to) return [];
  const { stdout } = await git(root, ['rev-list', `--max-count=${MAX_REBASED}`, from, `^${to}`, '--']);
  return stdout.split('\n').filter((sha) => /^[0-9a-f]{40,64}$/.test(sha));
}
