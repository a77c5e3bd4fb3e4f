import { type Invocation, readInvocations } from '../domain/shell-command.ts';
import { type CallOutcome, isReached, outcomeOf } from '../domain/shell-outcome.ts';
import type { CommandRun, TestOutcome } from '../domain/summary.ts';
import { FAILED } from '../domain/transcript-structure.ts';
import { withoutControls } from './plain-text.ts';
import { readTestOutput } from './test-output.ts';

/** A test run, recognized by its command, with the outcome according to its output and exit code. */
export interface TestRun extends TestOutcome {
  /** Short form of the command: `npm test`, `go test`. */
  readonly label: string;
}

/** Scripts whose names contain “test” but that only prepare something. */
const NO_TESTS = '(?:build|lint|setup|prepare|clean|install|seed)';

/** Commands that run tests, with their labels; the first match wins. */
const RUNNERS: readonly (readonly [RegExp, (match: RegExpExecArray) => string])[] = [
  [
    new RegExp(
      String.raw`^(npm|pnpm|yarn|bun)(?: -\S{1,60}(?: \S{1,100})?| workspace \S{1,100}){0,4}?( run)?(?: -\S{1,60}){0,4} ` +
        String.raw`((?:test|tests|t|tst)(?![:.-]${NO_TESTS}\b)(?:[:.-][\w:.-]{1,40})?|(?!${NO_TESTS}\b)[\w.-]{1,30}:tests?)(?: |$)`,
    ),
    (m) => `${m[1]}${m[2] ?? ''} ${m[3]}`,
  ],
  [
    /^(vitest|jest|mocha|ava|jasmine|karma|uvu|qunit|testcafe|wdio)(?! (?:list|init|bench)\b)(?: |$)/,
    (m) => m[1] ?? '',
  ],
  [/^(?:yarn|pnpm|bun)(?: run)?(?: -\S{1,60}){0,3} (vitest|jest|mocha|ava)(?: |$)/, (m) => m[1] ?? ''],
  [/^(playwright|cypress) (?:test|run)\b/, (m) => m[1] ?? ''],
  [/^node .{0,200}--test(?: |=|$)/, () => 'node --test'],
  [/^(pytest|py\.test|tox|nox|nose2?|nosetests|behave|unittest|robot)(?: |$)/, (m) => m[1] ?? ''],
  [/^python[\d.]* \S{0,100}(manage|runtests|run_tests)\.py test\b/, () => 'manage.py test'],
  // Only options may come before the subcommand: `go build -o test` builds.
  [
    /^(go|cargo|deno|dotnet|swift|flutter|dart|mix|stack|cabal|dune|bazel|bazelisk|rails|ng|forge|anchor|truffle|hardhat|zig)(?: \+\S{1,40}| -\S{1,100}(?: [^\s-]\S{0,100})?){0,6}?(?: build)? (test|nextest|runtest|tests)(?: |$)/,
    (m) => `${m[1]} test`,
  ],
  [/^(sbt|lein|xcodebuild|moon) (?:.{0,100} )?(test|tests)(?: |$)/, (m) => `${m[1]} test`],
  [
    /^(nx|turbo) (?:run )?(?:(?:run-many|affected) )?(?:-\S{1,60} |[\w:,-]{1,40} ){0,5}?(?:\S{1,60}[:=,])?tests?(?:[ ,]|$)/,
    (m) => `${m[1]} test`,
  ],
  [/^(mvnw?|gradlew?) (?:.{0,150} )?(?:\S*:)?(test|verify|check|integrationTest)(?: |$)/, (m) => `${m[1]} ${m[2]}`],
  [
    /^(make|gmake|ninja|meson)(?: -C \S{1,100}| -\S{1,60}| \S{1,60}=\S{0,60}){0,5}? (check)(?: |$)/,
    (m) => `${m[1]} ${m[2]}`,
  ],
  [
    new RegExp(
      String.raw`^(make|gmake|just|task|mise|rake|invoke|inv|composer|ninja|meson|earthly)( run)?(?: -C \S{1,100}| -\S{1,60}(?: \d+)?| \w{1,60}=\S{0,60}){0,5}? ` +
        String.raw`((?!${NO_TESTS})(?:\S{0,40}[:_-])?(?:test|tests|spec)(?![:_-]${NO_TESTS}\b)(?:[:_-]\S{0,40})?)(?: |$)`,
    ),
    (m) => `${m[1]}${m[2] ?? ''} ${m[3]}`,
  ],
  [/^php artisan test\b/, () => 'artisan test'],
  [
    /^(rspec|phpunit|pest|ctest|elm-test|bats|shellspec|prove|busted|gotestsum|ginkgo|minitest|cucumber|codecept)(?: |$)/,
    (m) => m[1] ?? '',
  ],
  [
    /^(?:(?:bash|sh|node|python[\d.]*|ruby|bun|tsx)(?: -\S{1,40}){0,3} )?(?:\S{0,100}[/\\])?((?:run[-_]?)?(?:all[-_])?tests?\.(?:sh|[cm]?js|ts|py|rb))(?: |$)/,
    (m) => m[1] ?? '',
  ],
];
const NOT_A_RUN =
  /(?:^| )(?:--collect-only|--co|--version|--help|-h|--list|-list|--listTests|--showConfig|--fixtures|--markers|--clearCache|install|--no-run|(?:--)?init|-DskipTests(?:=true)?|-Dmaven\.test\.skip(?:=true)?|(?:-x|--exclude-task) (?:\S*:)?test)(?: |$)/;
const MAX_LINE_CHARS = 400;

/** Label of the test runner that an invocation starts; null if it runs no tests. */
export function testRunnerOf({ program, words }: Invocation): string | null {
  const line = [program, ...words].join(' ').slice(0, MAX_LINE_CHARS);
  if (NOT_A_RUN.test(line)) return null;
  for (const [pattern, label] of RUNNERS) {
    const match = pattern.exec(line);
    if (match !== null) return label(match);
  }
  return null;
}

/** Test runs of one shell command, one per runner it starts. */
export function findTestRuns(run: CommandRun, invocations = readInvocations(run.command)): readonly TestRun[] {
  if (run.status === 'denied') return [];
  const found = invocations.flatMap((invocation, at) => {
    const label = testRunnerOf(invocation);
    return label === null ? [] : [{ label, at }];
  });
  if (found.length === 1) {
    return found.map(({ label, at }) => {
      const isCertain = run.status !== FAILED || isReached(invocations, at);
      return {
        label,
        ...onlyRun(run, {
          exit: outcomeOf(run, invocations, at),
          isFiltered: isFiltered(invocations.slice(at)),
          isCertain,
        }),
      };
    });
  }
  // The output of several runs is indistinguishable, so only the exit code counts.
  return [...Map.groupBy(found, ({ label }) => label)].map(([label, runs]) => {
    const outcomes = runs.map(({ at }) => outcomeOf(run, invocations, at));
    return { label, ...UNKNOWN, outcome: outcomes.every((one) => one === 'succeeded') ? 'passed' : 'unknown' };
  });
}

/** Programs that pass on the end of an output. */
const KEEP_THE_END: ReadonlySet<string> = new Set(['tail', 'tee', 'cat']);

/** Whether the output is piped through a program that may hide failures. */
function isFiltered(invocations: readonly Invocation[]): boolean {
  const end = invocations.findIndex(({ next }) => next !== '|');
  return invocations.slice(1, end + 1).some(({ program }) => !KEEP_THE_END.has(program));
}

/** Test runners print their summary in the last lines. */
const MAX_OUTPUT_CHARS = 4_000;

interface Evidence {
  readonly exit: CallOutcome;
  readonly isFiltered: boolean;
  /** Whether the tests were run at all; if not, only their own summary shows it. */
  readonly isCertain: boolean;
}

/** Printed counts take precedence over an exit code of 0, since scripts may hide a failure. */
function onlyRun({ status, output }: CommandRun, { exit, isFiltered, isCertain }: Evidence): TestOutcome {
  if (status === 'background' || status === 'pending' || status === 'interrupted') return UNKNOWN;
  const printed = readTestOutput(withoutControls(output.slice(-MAX_OUTPUT_CHARS)));
  const isProven = printed?.failed || (isCertain && exit !== 'succeeded');
  if (printed?.outcome === 'failed' && isProven) return outcomeIn(printed);
  if (printed?.outcome === 'unknown') return UNKNOWN;
  if (exit === 'failed') return { ...UNKNOWN, outcome: 'failed' };
  if (exit === 'succeeded') return printed?.outcome === 'passed' ? outcomeIn(printed) : PASSED_RUN;
  if (printed?.outcome !== 'passed') return UNKNOWN;
  return printed.shown === 'all' || (printed.shown === 'end' && !isFiltered) ? outcomeIn(printed) : UNKNOWN;
}

function outcomeIn({ outcome, passed, failed }: TestOutcome): TestOutcome {
  return { outcome, passed, failed };
}

const UNKNOWN: TestOutcome = { outcome: 'unknown', passed: null, failed: null };
const PASSED_RUN: TestOutcome = { ...UNKNOWN, outcome: 'passed' };
