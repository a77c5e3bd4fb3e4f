import { type CommitMade, commitsOfRun, distinctCommits, gitCallsIn } from '../domain/commits.ts';
import { isPushIn } from '../domain/git.ts';
import { createdPullRequests, distinctPullRequests, type PullRequest } from '../domain/pull-request.ts';
import { type Invocation, readInvocations, verbsOf } from '../domain/shell-command.ts';
import { isNeverRun, outcomeOf } from '../domain/shell-outcome.ts';
import type { CommandRun, ShellWork, TestRunner } from '../domain/summary.ts';
import { FAILED } from '../domain/transcript-structure.ts';
import { findTestRuns, type TestRun, testRunnerOf } from './test-runs.ts';

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
    commits: distinctCommits(tally.commits),
    unknownCommits: tally.unknownCommits,
    pushes: tally.pushes,
    pullRequests: distinctPullRequests(tally.pullRequests),
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
    pullRequests: [] as PullRequest[],
  };
}
type Tally = ReturnType<typeof createTally>;

interface TimedRunner extends TestRunner {
  readonly lastAt: string | null;
}

function count(tally: Tally, run: CommandRun): void {
  if (isNeverRun(run)) return;
  const invocations = readInvocations(run.command);
  if (run.status !== 'pending') tally.runs += 1;
  if (run.status === FAILED) {
    tally.failures += 1;
    add(tally.failed, culpritOf(run, invocations));
  }
  for (const label of labelsOf(invocations.filter((one) => testRunnerOf(one) === null))) {
    if (!REPORTED_SEPARATELY.has(label)) add(tally.commands, label);
  }
  for (const test of findTestRuns(run, invocations)) addTest(tally, test, run.at);
  const { commits, unknownCommits } = commitsOfRun(run, invocations);
  tally.commits.push(...commits);
  tally.unknownCommits += unknownCommits;
  if (isPushBy(run, invocations)) tally.pushes += 1;
  tally.pullRequests.push(...pullRequestsOf(run, invocations));
}

/** `cd: no such file or directory: x` of zsh, `line 1: cd: x: No such file or directory` of bash. */
const CD_FAILED = /(?:^|[\s:])cd:(?:\d+: |\s)/m;

/** The program that made a command fail; null if several are possible. */
function culpritOf({ output }: CommandRun, invocations: readonly Invocation[]): string | null {
  if (CD_FAILED.test(output)) return null;
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

function ranked(counts: ReadonlyMap<string, number>): ShellWork['commands'] {
  return [...counts].map(([label, calls]) => ({ label, calls })).toSorted((a, b) => b.calls - a.calls);
}

/** Whether a shell command pushed, as far as its output, the client's note or its exit code show it. */
function isPushBy(run: CommandRun, invocations: readonly Invocation[]): boolean {
  return gitCallsIn(invocations).some(({ verb, at }) => verb === 'push' && isPushed(run, invocations, at));
}

function isPushed(run: CommandRun, invocations: readonly Invocation[], at: number): boolean {
  if (isPushIn(run.output) || run.noted.some(({ kind }) => kind === 'push')) return true;
  return outcomeOf(run, invocations, at) === 'succeeded' && !run.output.includes('Everything up-to-date');
}

function pullRequestsOf(run: CommandRun, invocations: readonly Invocation[]): readonly PullRequest[] {
  return [...createdPullRequests({ ...run, invocations }), ...run.noted.filter(isNewPullRequest)].map(
    ({ number, url }) => ({ number, url, repository: null }),
  );
}

function isNewPullRequest({ kind, action }: CommandRun['noted'][number]): boolean {
  return kind === 'pr' && action === 'created';
}

/** Programs that only read or move text; they do not show what was done. */
const READ_ONLY = new Set(
  (
    'cd ls ll cat bat echo pwd head tail grep egrep fgrep rg ag find fd sed awk wc which whereis sleep mkdir true false test ' +
    'export set unset source . printf sort uniq cut tr tee less more file stat du df date env printenv type read basename ' +
    'dirname realpath readlink jq yq diff touch chmod cp mv rm ln tree ps kill pkill pgrep lsof history column xxd od strings ' +
    'wait return exit break continue local declare alias eval trap shift hash uname whoami id hostname seq base64 ' +
    'md5sum sha256sum top free uptime man help clear paste nl fold comm pushd popd rmdir mktemp json.tool'
  ).split(' '),
);
const READ_ONLY_GIT = new Set(
  (
    'status diff log show branch rev-parse ls-files ls-tree remote add check-ignore blame fetch describe cat-file reflog config ' +
    'shortlog name-rev merge-base grep rev-list for-each-ref symbolic-ref'
  ).split(' '),
);

/** Programs whose next word is a subcommand. */
const WITH_SUBCOMMAND = new Set(
  (
    'git npm pnpm yarn bun go cargo gh glab docker podman kubectl helm uv pip pip3 make gmake mvn mvnw gradle gradlew dotnet ' +
    'terraform tofu aws gcloud az poetry brew apt apt-get systemctl mise just task rails rake composer flutter dart swift deno ' +
    'vercel fly flyctl heroku conda wrangler supabase prisma nx turbo lerna cmake bazel terragrunt pulumi rustup claude'
  ).split(' '),
);
const WITH_TWO = new Set(['gh', 'glab', 'aws', 'gcloud', 'az']);
const SECOND_FOR = /^(?:run|compose|exec|stash|worktree|remote|dlx|tool|tag)$/;

const PROGRAM = /^[a-z][\w@.+-]{0,60}$/i;
const VARIABLE = /^[A-Z0-9_]*_[A-Z0-9_]*$/;

/** Short label of an invocation: `git push`, `npm run build`; null if it only reads. */
function labelOf({ program, words }: Invocation): string | null {
  if (READ_ONLY.has(program) || !PROGRAM.test(program) || VARIABLE.test(program)) return null;
  if (!WITH_SUBCOMMAND.has(program)) return program;
  const verbs = verbsOf(program, words);
  if (program === 'git' && READ_ONLY_GIT.has(verbs[0] ?? '')) return null;
  const isLong = WITH_TWO.has(program) || SECOND_FOR.test(verbs[0] ?? '');
  return [program, ...verbs.slice(0, isLong ? 2 : 1)].join(' ');
}

/** Labels of the programs a shell command runs, each once. */
function labelsOf(invocations: readonly Invocation[]): ReadonlySet<string> {
  return new Set(invocations.flatMap((invocation) => labelOf(invocation) ?? []));
}
