import { type GitActivity, MAX_MESSAGE_CHARS } from '../../domain/git.ts';
import type { JsonObject } from '../../domain/transcript.ts';
import {
  type Commit,
  type CommitReader,
  createCommitReader,
  createReplacementReader,
  readCommitsInTime,
} from './commits.ts';
import {
  createLogReader,
  type HeadEvent,
  type HeadLog,
  interpretHeadLog,
  type RefLog,
  type ReflogEntry,
  type RepositoryLogs,
} from './reflog.ts';
import { findRepository, type Repository, readRemotes } from './repository.ts';
import type { RunGit } from './run-git.ts';

interface ActivityQuery {
  /** Any folder inside the repository. */
  readonly repo: string;
  /** ISO-8601. */
  readonly since: string;
  readonly until: string;
  /** Read only git's reference logs, not the commit history. */
  readonly isLogsOnly?: boolean;
  /** Returns true for activity that is already stored and does not have to be described again. */
  readonly isKnown?: (activity: GitActivity) => boolean;
}

interface ActivityResult {
  readonly repository: Repository;
  /** Oldest first. */
  readonly activities: readonly GitActivity[];
}

/** The oldest beyond this are left out. */
const MAX_ACTIVITIES = 2_000;

/** Reads the activity of repositories. Create one per run, since it caches the logs. */
export interface GitReader {
  /** Null when there is no repository. */
  readGitActivity(query: ActivityQuery): Promise<ActivityResult | null>;
}

export function createGitReader(git: RunGit): GitReader {
  const logs = createLogReader(git);
  const commits = createCommitReader(git);
  const replacements = createReplacementReader(git);
  return {
    readGitActivity: async ({ repo, since, until, isLogsOnly = false, isKnown = () => false }) => {
      const repository = findRepository(repo);
      if (repository === null) return null;
      const span = { sinceMs: Math.floor(Date.parse(since) / 1_000) * 1_000, untilMs: Date.parse(until) };
      const found = await logs.read(repository, span.sinceMs);
      const unlogged = isLogsOnly ? [] : await listUnlogged(git, repository, found, span);
      const replacedBy = await replacements.read(repository, found, span.sinceMs);
      const all = [...listLogged(repository, found), ...unlogged].map((each) => withReplacement(each, replacedBy));
      const isNew = (each: GitActivity) => each.data.replaced_by !== undefined || !isKnown(each);
      const within = uniqueByKey(all.filter((each) => isWithin(each, span))).filter(isNew);
      const activities = within.slice(-MAX_ACTIVITIES);
      const nearby = all.toReversed();
      return {
        repository,
        activities: await describeCommits(commits, repository, activities, nearby),
      };
    },
  };
}

interface Span {
  readonly sinceMs: number;
  readonly untilMs: number;
}

function isWithin({ at }: GitActivity, { sinceMs, untilMs }: Span): boolean {
  const time = Date.parse(at);
  return time >= sinceMs && time <= untilMs;
}

function uniqueByKey(activities: readonly GitActivity[]): readonly GitActivity[] {
  const byKey = new Map<string, GitActivity>();
  for (const activity of activities) if (!byKey.has(activity.key)) byKey.set(activity.key, activity);
  return [...byKey.values()].toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.sequence - b.sequence));
}

/**
 * Working trees come first because their logs show where a commit was made; a branch log is all that remains of a
 * removed working tree.
 */
function listLogged(repository: Repository, { heads, branches, remotes }: RepositoryLogs): readonly GitActivity[] {
  return [
    ...heads.flatMap((head) =>
      numberSameSecond(interpretHeadLog(head.entries, head.branch).map((each) => fromHead(each, head))),
    ),
    ...branches.flatMap(({ name, entries }) =>
      numberSameSecond(
        interpretHeadLog(entries, name)
          .filter(({ kind }) => kind === 'commit')
          .map((event) => fromHead(event, { folder: null, worktreeName: null })),
      ),
    ),
    ...remotes.flatMap((log) =>
      listPushes(
        log,
        readRemotes(repository).map(({ name }) => name),
      ),
    ),
  ];
}

/** Numbers the entries of one log that share a second. */
function numberSameSecond(activities: readonly GitActivity[]): readonly GitActivity[] {
  let sequence = 0;
  return activities.map((each, at) => {
    sequence = activities[at - 1]?.at === each.at ? sequence + 1 : 0;
    return { ...each, sequence };
  });
}

function withReplacement(each: GitActivity, replacedBy: ReadonlyMap<string, string>): GitActivity {
  const by = each.kind === 'commit' && each.sha !== null ? replacedBy.get(each.sha) : undefined;
  return by === undefined ? each : { ...each, data: { ...each.data, replaced_by: by } };
}

function activity(kind: GitActivity['kind'], entry: ReflogEntry, more: Partial<GitActivity>): GitActivity {
  const { oldSha, newSha, atSeconds, message } = entry;
  return {
    key: JSON.stringify([kind, oldSha, newSha, atSeconds, message]),
    kind,
    at: timeOf(atSeconds),
    sha: newSha,
    branch: null,
    message: null,
    filesChanged: null,
    insertions: null,
    deletions: null,
    folder: null,
    worktreeName: null,
    sequence: 0,
    data: {},
    ...more,
  };
}

/** Timestamps outside the range of Date become the epoch, which matches no session. */
function timeOf(seconds: number): string {
  const at = new Date(seconds * 1_000);
  return Number.isNaN(at.getTime()) ? new Date(0).toISOString() : at.toISOString();
}

function fromHead(event: HeadEvent, { folder, worktreeName }: TreeLocation): GitActivity {
  const { kind, entry, branch } = event;
  const found = activity(kind, entry, { folder, worktreeName, branch, data: dataOf(event) });
  return kind === 'commit' ? { ...found, key: commitKey(entry.newSha), message: event.subject } : found;
}

/** One key per commit, however often it appears in logs. */
function commitKey(sha: string): string {
  return `commit:${sha}`;
}

function dataOf(event: HeadEvent): JsonObject {
  if (event.kind === 'commit') return event.how === 'commit' ? NO_DATA : { how: event.how };
  if (event.kind === 'rebase') return { how: event.how, from: event.from, commits: event.commits };
  if (event.kind === 'checkout') return { from: event.from, to: event.to };
  const from = event.entry.oldSha;
  if (event.kind === 'reset') return { from, to: event.to };
  return event.merged === null ? { how: event.how, from } : { how: event.how, from, merged: event.merged };
}

const NO_DATA: JsonObject = {};

type TreeLocation = { readonly folder: HeadLog['folder'] | null; readonly worktreeName: string | null };

function listPushes({ name, entries }: RefLog, remotes: readonly string[]): readonly GitActivity[] {
  const remote = remotes.filter((known) => name.startsWith(`${known}/`)).toSorted((a, b) => b.length - a.length)[0];
  const [first = ''] = name.split('/');
  const branch = name.slice((remote ?? first).length + 1);
  const pushes = entries.filter(({ message }) => message === 'update by push');
  return pushes.map((entry) => {
    const found = activity('push', entry, { branch, data: { remote: remote ?? first, from: entry.oldSha } });
    return { ...found, key: `${found.key} ${name}` };
  });
}

/**
 * Reads the history for the time before the log starts (logs expire after 90 days, and some repositories keep none).
 * The history has only commits, and only those by our own user were made here.
 */
async function listUnlogged(
  git: RunGit,
  { root }: Repository,
  { heads }: RepositoryLogs,
  { sinceMs, untilMs }: Span,
): Promise<readonly GitActivity[]> {
  const oldestMs = Math.min(
    ...heads.flatMap(({ entries }) => entries[0] ?? []).map((entry) => entry.atSeconds * 1_000),
  );
  if (oldestMs <= sinceMs || untilMs < sinceMs) return [];
  const own = (await git(root, ['config', '--get', 'user.email'])).stdout.trim();
  if (own === '') return [];
  const until = new Date(Math.min(untilMs, oldestMs)).toISOString();
  const span = { since: new Date(sinceMs).toISOString(), until, max: MAX_ACTIVITIES };
  const commits = await readCommitsInTime(git, root, span);
  // git lists the newest first.
  return numberSameSecond(
    commits
      .filter(({ committerEmail }) => committerEmail === own)
      .map(fromHistory)
      .toReversed(),
  );
}

function fromHistory(commit: Commit): GitActivity {
  const entry = { oldSha: '', newSha: commit.sha, atSeconds: commit.committedAtMs / 1_000, message: '' };
  return withCommit(activity('commit', entry, { key: commitKey(commit.sha), data: { source: 'history' } }), commit);
}

async function describeCommits(
  reader: CommitReader,
  { root }: Repository,
  activities: readonly GitActivity[],
  nearby: readonly GitActivity[],
): Promise<readonly GitActivity[]> {
  const isCommit = ({ kind }: GitActivity) => kind === 'commit' || kind === 'merge';
  const shasOf = (list: readonly GitActivity[]) => [...new Set(list.filter(isCommit).flatMap(({ sha }) => sha ?? []))];
  const wanted = shasOf(activities.filter(({ filesChanged }) => filesChanged === null));
  const commits = await reader.read(root, wanted, shasOf(nearby));
  return activities.map((each) => {
    const commit = isCommit(each) ? commits.get(each.sha ?? '') : undefined;
    return commit === undefined ? each : withCommit(each, commit);
  });
}

function withCommit(found: GitActivity, { message, stats, ...commit }: Commit): GitActivity {
  const data: JsonObject = {
    ...found.data,
    author: { name: commit.authorName, email: commit.authorEmail },
    authored_at: commit.authoredAt,
    ...(commit.parents.length > 1 ? { parents: [...commit.parents] } : {}),
    ...(stats === null ? {} : { files: stats.files.map((file) => ({ ...file })) }),
  };
  return {
    ...found,
    data,
    message: message.slice(0, MAX_MESSAGE_CHARS),
    filesChanged: stats?.filesChanged ?? null,
    insertions: stats?.insertions ?? null,
    deletions: stats?.deletions ?? null,
  };
}
