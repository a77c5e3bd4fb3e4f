import { type Invocation, verbsOf } from './shell-command.ts';
import { type FinishedRun, hasFailedAt, isKilled, isNeverRun, outcomeOf } from './shell-outcome.ts';
import type { GitOperation } from './transcript-structure.ts';

/**
 * What counts as a commit of a session, for its narrative, lists, filters and outline alike: a new commit that one of its
 * commands made with `git commit`, `git cherry-pick` or `git revert`. An amend replaces a commit and is stated apart; a
 * rebase, a pull, `git am` and `git merge` copy or join commits that exist already.
 */
export interface CommitMade {
  /** Null when git did not print it, as with `git commit -q`. */
  readonly sha: string | null;
  readonly subject: string | null;
  /** It replaces the commit before it. */
  readonly isAmend: boolean;
}

/** The session's new commits, without amends. */
export function newCommits<C extends Pick<CommitMade, 'isAmend'>>(commits: readonly C[]): readonly C[] {
  return commits.filter(({ isAmend }) => !isAmend);
}

export function amendedCommits<C extends Pick<CommitMade, 'isAmend'>>(commits: readonly C[]): readonly C[] {
  return commits.filter(({ isAmend }) => isAmend);
}

/** How git or a transcript says that a commit came about (`data.how`), if it is not a new commit of a session. */
export const NOT_NEW_COMMITS = ['amend', 'rebase', 'am'] as const;

/**
 * Whether an activity of a session is one of its commits. A merge that `git commit` concluded is one too: of all merges,
 * only such a call prints the hash. `IS_OWN_COMMIT` is the same condition in SQL.
 */
export function isOwnCommit(activity: {
  readonly type: string;
  readonly relation: string | null;
  readonly linked_by: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}): boolean {
  if (activity.relation !== 'own') return false;
  if (activity.type === 'merge') return activity.linked_by === 'sha';
  return activity.type === 'commit' && !NOT_NEW_COMMITS.some((how) => how === activity.data['how']);
}

const COMMITTING: ReadonlySet<string> = new Set(['commit', 'cherry-pick', 'revert']);

interface CommitRun extends FinishedRun {
  /** What the client noted about git. */
  readonly noted: readonly Pick<GitOperation, 'kind' | 'sha'>[];
}

interface CommitWork {
  readonly commits: readonly CommitMade[];
  /** Calls of `git commit` for which it is unknown whether they made a commit. */
  readonly unknownCommits: number;
}

const NOTHING: CommitWork = { commits: [], unknownCommits: 0 };

/** The commits of one shell command, as far as its output, the client's note or its exit code show them. */
export function commitsOfRun(run: CommitRun, invocations: readonly Invocation[]): CommitWork {
  const calls = gitCallsIn(invocations).filter(({ verb }) => COMMITTING.has(verb));
  if (calls.length === 0 || isNeverRun(run)) return NOTHING;
  const [first] = calls;
  if (calls.length === 1 && first !== undefined && hasFailedAt(run, invocations, first.at)) return NOTHING;
  const reported = reportedCommits(run, calls, invocations);
  if (reported.length > 0) return { commits: reported, unknownCommits: 0 };
  // Nothing was printed, as with `git commit -q`, so the exit code decides.
  const quiet = calls.filter(({ verb }) => verb === 'commit');
  const outcomes = quiet.map(({ at, isAmend }) => ({ at, isAmend, outcome: outcomeOf(run, invocations, at) }));
  return {
    commits: outcomes
      .filter(({ outcome }) => outcome === 'succeeded')
      .map(({ isAmend }) => ({ sha: null, subject: null, isAmend })),
    unknownCommits: outcomes.filter(
      ({ at, outcome }) => outcome === 'unknown' && !isWithoutCommit(run, invocations, at),
    ).length,
  };
}

const NOTHING_TO_COMMIT = /^(?:nothing to commit|nothing added to commit|no changes added to commit)\b/m;
const QUIET = /^(?:--quiet|-[ainopsvez]*q.*)$/;
const REDIRECTED = /^(?:&|1)?>(?!&2)/;
/** Of longer outputs, the client may have kept only a part. */
const MAX_WHOLE_CHARS = 20_000;

/** Whether the output shows that a call of `git commit` made none: it says so, or lacks what git always prints. */
function isWithoutCommit(run: FinishedRun, invocations: readonly Invocation[], at: number): boolean {
  if (hasFailedAt(run, invocations, at)) return true;
  if ((run.status !== 'ok' && run.status !== 'error') || isKilled(run)) return false;
  const after = invocations.slice(at);
  const isHidden = after.some(({ program, words, next }) => {
    return next === '|' || [program, ...words].some((word) => REDIRECTED.test(word));
  });
  if (!isHidden && !after[0]?.words.some((word) => QUIET.test(word))) return run.output.length <= MAX_WHOLE_CHARS;
  return NOTHING_TO_COMMIT.test(run.output) && !gitCallsIn(invocations).some(({ verb }) => verb === 'status');
}

/** A commit reported by two calls, such as `git commit` and a retry of the same command, counts once. */
export function distinctCommits<C extends Pick<CommitMade, 'sha'>>(commits: readonly C[]): readonly C[] {
  const distinct: C[] = [];
  for (const made of commits) if (!distinct.some((known) => isSameCommit(known, made))) distinct.push(made);
  return distinct;
}

const SHORT_SHA_CHARS = 7;

/** A hash as git abbreviates it. */
export function shortSha(sha: string): string {
  return sha.slice(0, SHORT_SHA_CHARS);
}

/** Hashes are compared as far as both are known; a commit without a hash equals no other. */
export function isSameCommit({ sha: one }: Pick<CommitMade, 'sha'>, { sha: other }: Pick<CommitMade, 'sha'>): boolean {
  return one !== null && other !== null && (one.startsWith(other) || other.startsWith(one));
}

interface GitInvocation {
  readonly verb: string;
  /** Its position among the invocations. */
  readonly at: number;
  readonly isAmend: boolean;
}

const CHANGES_NOTHING = new Set(['--dry-run', '--help', '-h']);
const NO_PUSH = new Set(['-n', '-d', '--delete']);

/** Whether `git push` only deletes branches or tags (`--delete x`, `origin :x`), or only prints what it would push. */
function isWithoutPush(words: readonly string[]): boolean {
  const [, ...refs] = words.slice(words.indexOf('push') + 1).filter((word) => !word.startsWith('-'));
  return words.some((word) => NO_PUSH.has(word)) || (refs.length > 0 && refs.every((ref) => /^:./.test(ref)));
}

/** The calls of git in a shell command, except those that only print what they would do and pushes that only delete. */
export function gitCallsIn(invocations: readonly Invocation[]): readonly GitInvocation[] {
  return invocations.flatMap(({ program, words }, at) => {
    const verb = program === 'git' ? verbsOf('git', words)[0] : undefined;
    const isTrial = words.some((word) => CHANGES_NOTHING.has(word)) || (verb === 'push' && isWithoutPush(words));
    return verb === undefined || isTrial ? [] : [{ verb, at, isAmend: words.includes('--amend') }];
  });
}

/** Commits printed by git, otherwise the one noted by the client. */
function reportedCommits(
  { output, noted }: CommitRun,
  calls: readonly GitInvocation[],
  invocations: readonly Invocation[],
): readonly CommitMade[] {
  // A rebase prints the commits that it copies; there is no branch meanwhile.
  const isRebasing = gitCallsIn(invocations).some(({ verb }) => verb === 'rebase' || verb === 'pull');
  const printed = commitsIn(output).filter(({ branch }) => !isRebasing || branch !== null);
  if (printed.length > 0) {
    return printed.map(({ sha, subject }, n) => {
      return { sha, subject: subject || null, isAmend: (calls[n] ?? calls.at(-1))?.isAmend === true };
    });
  }
  const note = noted.find(({ kind, sha }) => kind === 'commit' && sha !== null);
  return note === undefined ? [] : [{ sha: note.sha, subject: null, isAmend: calls.some(({ isAmend }) => isAmend) }];
}

const COMMITTED = /^\[(detached HEAD|[^\s[\]]{1,250})(?: \(root-commit\))? ([0-9a-f]{4,64})\] (.{0,500})/gm;

interface PrintedCommit {
  readonly branch: string | null;
  readonly sha: string;
  readonly subject: string;
}

/** The commits that git reports in an output: `[main 1a2b3c4] Fix the basket`. */
export function commitsIn(output: string): readonly PrintedCommit[] {
  return [...output.matchAll(COMMITTED)].map(([, branch = '', sha = '', subject = '']) => {
    return { branch: branch === 'detached HEAD' ? null : branch, sha, subject };
  });
}
