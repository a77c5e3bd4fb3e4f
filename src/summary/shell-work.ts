import type { CommandRun, CommitMade, ShellWork, TestRunner } from '../domain/summary.ts';
import { labelOf, labelsOf, outcomeOf } from './invocations.ts';
import { type Invocation, readInvocations, verbsOf } from '../domain/shell-command.ts';
import { findTestRuns, type TestRun, testRunnerOf } from './test-runs.ts';
import { commitsIn, isPushIn } from '../domain/git.ts';
import { createdPullRequests } from '../domain/pull-request.ts';

/** Commands with a separate sentence in the summary. */
const REPORTED_SEPARATELY: ReadonlySet<string> = new Set(['git commit', 'git push']);

/** Counts what the shell commands of a session did, one at a time. */
export async function tallyShell(runs: AsyncIterable<CommandRun> | Iterable<CommandRun>): Promise<ShellWork> {
  const tally = createTally();
  for await (const run of runs) count(tally, run);
  return {
    runs: tally.runs,
    failures: tally.failures,
    // A test runner that was also used only to list tests is reported with the tests alone.
    commands: ranked(tally.commands).filter(({ label }) => !tally.tests.has(label)),
    failed: ranked(tally.failed),
    tests: [...tally.tests.values()].map(({ lastAt: _, ...runner }) => runner),
    lastTest: tally.lastTest?.last ?? null,
    commits: tally.commits,
    unknownCommits: tally.unknownCommits,
    pushes: tally.pushes,
    pullRequests: [...tally.pullRequests],
  };
}

function createTally() {
  return {
    runs: 0,
    failures: 0,
    commands: new Map<string, number>(),
    failed: new Map<string, number>(),
    tests: new Map<string, TimedRunner>(),
    lastTest: null as Pick<TimedRunner, 'last' | 'lastAt'> | null,
    commits: [] as CommitMade[],
    unknownCommits: 0,
    pushes: 0,
    pullRequests: new Set<number>(),
  };
}
type Tally = ReturnType<typeof createTally>;

interface TimedRunner extends TestRunner {
  readonly lastAt: string | null;
}

/** Stopped at the permission prompt. */
const NOT_RUN = /^(?:Error: )?(?:The user doesn't want|Permission prompt was aborted|\[Request interrupted)/;

function count(tally: Tally, run: CommandRun): void {
  if (run.status === 'denied' || (run.status === 'interrupted' && NOT_RUN.test(run.output))) return;
  const invocations = readInvocations(run.command);
  // The client itself rejects some commands; then nothing ran.
  if (run.status !== 'pending' && !run.output.startsWith('<tool_use_error>')) tally.runs += 1;
  if (run.status === 'error') {
    tally.failures += 1;
    add(tally.failed, culpritOf(invocations));
  }
  for (const label of labelsOf(invocations.filter((one) => testRunnerOf(one) === null))) {
    if (!REPORTED_SEPARATELY.has(label)) add(tally.commands, label);
  }
  for (const test of findTestRuns(run, invocations)) addTest(tally, test, run.at);
  const git = gitWorkOf(run, invocations);
  for (const commit of git.commits) addCommit(tally.commits, commit);
  tally.unknownCommits += git.unknownCommits;
  if (git.isPush) tally.pushes += 1;
  for (const number of git.pullRequests) tally.pullRequests.add(number);
}

/** The program that made a command fail; null if several are possible. */
function culpritOf(invocations: readonly Invocation[]): string | null {
  const labels = new Set(
    invocations.flatMap((one) => testRunnerOf(one) ?? labelOf(one) ?? (one.program === 'cd' ? [] : [''])),
  );
  const [label] = labels;
  return labels.size === 1 && label ? label : null;
}

function add(counts: Map<string, number>, label: string | null): void {
  if (label !== null) counts.set(label, (counts.get(label) ?? 0) + 1);
}

function addTest(tally: Tally, { label, ...outcome }: TestRun, at: string | null): void {
  const own = { last: outcome, lastAt: at };
  const known = tally.tests.get(label) ?? { label, calls: 0, passed: 0, failed: 0, ...own };
  tally.tests.set(label, {
    label,
    calls: known.calls + 1,
    passed: known.passed + (outcome.outcome === 'passed' ? 1 : 0),
    failed: known.failed + (outcome.outcome === 'failed' ? 1 : 0),
    ...(isLater(at, known.lastAt) ? own : { last: known.last, lastAt: known.lastAt }),
  });
  if (tally.lastTest === null || isLater(at, tally.lastTest.lastAt)) tally.lastTest = own;
}

/** Commands come in file order; a sub-agent's command may be older than the one before it. */
function isLater(at: string | null, than: string | null): boolean {
  return at === null || than === null || at >= than;
}

/** A commit reported by two calls, such as `git commit` and a retry of the same command, counts once. */
function addCommit(commits: CommitMade[], made: CommitMade): void {
  const isKnown = made.sha !== null && commits.some(({ sha }) => sha !== null && isSame(sha, made.sha ?? ''));
  if (!isKnown) commits.push(made);
}

function isSame(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one);
}

function ranked(counts: ReadonlyMap<string, number>): ShellWork['commands'] {
  return [...counts].map(([label, calls]) => ({ label, calls })).toSorted((a, b) => b.calls - a.calls);
}

/** Effects of one shell command on git, as far as its output, the client's note or its exit code show them. */
export interface GitWork {
  readonly commits: readonly CommitMade[];
  /** Calls of `git commit` for which it is unknown whether they made a commit. */
  readonly unknownCommits: number;
  readonly isPush: boolean;
  /** Numbers of the pull requests it created. */
  readonly pullRequests: readonly number[];
}

const NOTHING: GitWork = { commits: [], unknownCommits: 0, isPush: false, pullRequests: [] };
const COMMITTING: ReadonlySet<string> = new Set(['commit', 'cherry-pick', 'revert']);

export function gitWorkOf(run: CommandRun, invocations: readonly Invocation[]): GitWork {
  if (run.status === 'denied') return NOTHING;
  const calls = invocations.flatMap((invocation, at) => {
    const verb = invocation.program === 'git' ? verbsOf('git', invocation.words)[0] : undefined;
    const isDry = invocation.words.includes('--dry-run');
    return verb === undefined || isDry ? [] : [{ verb, at, isAmend: invocation.words.includes('--amend') }];
  });
  const committing = calls.filter(({ verb }) => COMMITTING.has(verb));
  const pushing = calls.filter(({ verb }) => verb === 'push');
  return {
    ...commitsOf(run, invocations, committing),
    isPush: pushing.some(({ at }) => isPushed(run, invocations, at)),
    pullRequests: createdPullRequests({ ...run, invocations }).map(({ number }) => number),
  };
}

interface GitInvocation {
  readonly verb: string;
  readonly at: number;
  readonly isAmend: boolean;
}

function commitsOf(
  run: CommandRun,
  invocations: readonly Invocation[],
  calls: readonly GitInvocation[],
): Pick<GitWork, 'commits' | 'unknownCommits'> {
  const reported = reportedCommits(run, calls);
  if (reported.length > 0) return { commits: reported, unknownCommits: 0 };
  // Nothing was printed, as with `git commit -q`, so the exit code decides.
  const quiet = calls.filter(({ verb }) => verb === 'commit');
  const outcomes = quiet.map(({ at, isAmend }) => ({ isAmend, outcome: outcomeOf(run, invocations, at) }));
  return {
    commits: outcomes
      .filter(({ outcome }) => outcome === 'succeeded')
      .map(({ isAmend }) => ({ sha: null, subject: null, isAmend })),
    unknownCommits: outcomes.filter(({ outcome }) => outcome === 'unknown').length,
  };
}

/** Commits printed by git, otherwise the one noted by the client. */
function reportedCommits({ output, noted }: CommandRun, calls: readonly GitInvocation[]): readonly CommitMade[] {
  if (calls.length === 0) return [];
  const printed = commitsIn(output);
  if (printed.length > 0) {
    return printed.map(({ sha, subject }, n) => {
      return { sha, subject: subject || null, isAmend: (calls[n] ?? calls.at(-1))?.isAmend === true };
    });
  }
  const note = noted.find(({ kind, sha }) => kind === 'commit' && sha !== null);
  return note === undefined ? [] : [{ sha: note.sha, subject: null, isAmend: calls.some(({ isAmend }) => isAmend) }];
}

function isPushed(run: CommandRun, invocations: readonly Invocation[], at: number): boolean {
  if (isPushIn(run.output) || run.noted.some(({ kind }) => kind === 'push')) return true;
  return outcomeOf(run, invocations, at) === 'succeeded' && !run.output.includes('Everything up-to-date');
}
