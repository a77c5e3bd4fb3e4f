import type { CommandRun } from '../domain/summary.ts';
import { type CallOutcome, outcomeOf } from '../domain/shell-outcome.ts';
import { withoutControls } from './plain-text.ts';
import { type Invocation, readInvocations } from '../domain/shell-command.ts';

/** A test run, recognized by its command, with the outcome according to its output and exit code. */
export interface TestRun {
  /** Short form of the command: `npm test`, `go test`. */
  readonly label: string;
  readonly outcome: 'passed' | 'failed' | 'unknown';
  readonly passed: number | null;
  readonly failed: number | null;
}

/** Commands that run tests, with their labels; the first match wins. */
const RUNNERS: readonly (readonly [RegExp, (match: RegExpExecArray) => string])[] = [
  [
    /^(npm|pnpm|yarn|bun)(?: -\S{1,60}(?: \S{1,100})?| workspace \S{1,100}){0,4}?( run)?(?: -\S{1,60}){0,4} ((?:test|tests|t|tst)(?:[:.-][\w:.-]{1,40})?|[\w.-]{1,30}:tests?)(?: |$)/,
    (m) => `${m[1]}${m[2] ?? ''} ${m[3]}`,
  ],
  [/^(vitest|jest|mocha|ava|jasmine|karma|uvu|qunit|testcafe|wdio)(?: |$)/, (m) => m[1] ?? ''],
  [/^(playwright|cypress) (?:test|run)\b/, (m) => m[1] ?? ''],
  [/^node .{0,200}--test(?: |=|$)/, () => 'node --test'],
  [/^(pytest|py\.test|tox|nox|nose2?|nosetests|behave|unittest|robot)(?: |$)/, (m) => m[1] ?? ''],
  [/^python3? \S{0,100}(manage|runtests|run_tests)\.py test\b/, () => 'manage.py test'],
  [
    /^(go|cargo|deno|dotnet|swift|flutter|dart|mix|sbt|lein|bazel|bazelisk|stack|cabal|dune|rails|ng|zig|xcodebuild|nx|turbo|moon|forge|anchor|truffle|hardhat) (?:.{0,100} )?(test|nextest|tests)(?: |$)/,
    (m) => `${m[1]} test`,
  ],
  [/^(mvnw?|gradlew?) (?:.{0,150} )?(?:\S*:)?(test|verify|check|integrationTest)(?: |$)/, (m) => `${m[1]} ${m[2]}`],
  [
    /^(make|gmake|just|task|mise|rake|invoke|inv|composer|ninja|meson|earthly)( run)? ((?:\S{0,40}[:_-])?(?:test|tests|check|spec)(?:[:_-]\S{0,40})?)(?: |$)/,
    (m) => `${m[1]}${m[2] ?? ''} ${m[3]}`,
  ],
  [/^php artisan test\b/, () => 'artisan test'],
  [
    /^(rspec|phpunit|pest|ctest|elm-test|bats|shellspec|prove|busted|gotestsum|ginkgo|minitest|cucumber|codecept)(?: |$)/,
    (m) => m[1] ?? '',
  ],
  [/^(?:bash |sh )?\S{0,100}?((?:run[-_])?tests?\.(?:sh|mjs|js|py))(?: |$)/, (m) => m[1] ?? ''],
];
const NOT_A_RUN =
  /(?:^| )(?:--collect-only|--co|--version|--help|-h|--list|--listTests|--showConfig|install|--no-run|init)(?: |$)/;
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
      const isHead = invocations[at]?.next === '|' && invocations[at + 1]?.program === 'head';
      return { label, ...onlyRun(run, outcomeOf(run, invocations, at), isHead) };
    });
  }
  // The output of several runs is indistinguishable, so only the exit code counts.
  return [...Map.groupBy(found, ({ label }) => label)].map(([label, runs]) => {
    const outcomes = runs.map(({ at }) => outcomeOf(run, invocations, at));
    return { label, ...UNKNOWN, outcome: outcomes.every((one) => one === 'succeeded') ? 'passed' : 'unknown' };
  });
}

type Outcome = Omit<TestRun, 'label'>;

/** Test runners print their summary in the last lines. */
const MAX_OUTPUT_CHARS = 4_000;

/** Printed counts take precedence over an exit code of 0, since scripts may hide a failure. */
function onlyRun({ status, output }: CommandRun, exit: CallOutcome, isHead: boolean): Outcome {
  if (status === 'background' || status === 'pending' || status === 'interrupted') return UNKNOWN;
  const printed = readOutcome(withoutControls(output.slice(-MAX_OUTPUT_CHARS)));
  if (exit === 'failed') return printed?.outcome === 'failed' ? printed : { ...UNKNOWN, outcome: 'failed' };
  if (exit === 'succeeded' && !printed?.failed) return printed?.outcome === 'passed' ? printed : PASSED_RUN;
  // The first lines of an output do not show later failures.
  return printed === null || (isHead && printed.outcome === 'passed') ? UNKNOWN : printed;
}

const UNKNOWN: Outcome = { outcome: 'unknown', passed: null, failed: null };
const PASSED_RUN: Outcome = { ...UNKNOWN, outcome: 'passed' };

/**
 * Summary lines of common test runners, with the patterns for passed, failed and total. The last line is the total unless
 * they are added up: some runners print one line per file or kind.
 */
const COUNTS: readonly {
  readonly line: RegExp;
  readonly passed?: RegExp;
  readonly failed?: RegExp;
  readonly all?: RegExp;
  readonly isAddedUp?: boolean;
}[] = [
  { line: /^\s*Tests:?\s.*\b(?:passed|failed)\b.*$/gm, passed: /(\d+) passed/, failed: /(\d+) failed/ },
  {
    line: /^=*.*\b\d+ (?:passed|failed|errors?)\b.* in [\d.]+.*$/gm,
    passed: /(\d+) passed/,
    failed: /(\d+) (?:failed|errors?)/g,
  },
  { line: /^test result: .*$/gm, passed: /(\d+) passed/, failed: /(\d+) failed/, isAddedUp: true },
  { line: /^\s*\d+ (?:passing|failing)\b.*$/gm, passed: /(\d+) passing/, failed: /(\d+) failing/, isAddedUp: true },
  { line: /^\d+ examples?, \d+ failures?.*$/gm, all: /(\d+) examples?/, failed: /(\d+) failures?/ },
  { line: /Tests run: \d+, Failures: \d+, Errors: \d+.*$/gm, all: /run: (\d+)/, failed: /(?:Failures|Errors): (\d+)/g },
  { line: /^Tests: \d+, Assertions: \d+.*$/gm, all: /Tests: (\d+)/, failed: /(?:Failures|Errors): (\d+)/g },
  { line: /^OK \(\d+ tests?,.*$/gm, passed: /(\d+) tests?/ },
  { line: /^(?:#|ℹ) (?:pass|fail) \d+$/gm, passed: /pass (\d+)/, failed: /fail (\d+)/, isAddedUp: true },
  { line: /Failed:\s+\d+, Passed:\s+\d+.*$/gm, passed: /Passed:\s+(\d+)/, failed: /Failed:\s+(\d+)/ },
  { line: /^FAILED \((?:failures|errors)=\d+.*$/gm, failed: /(?:failures|errors)=(\d+)/g },
  { line: /^\s*\d+ pass$|^\s*\d+ fail$/gm, passed: /(\d+) pass/, failed: /(\d+) fail/, isAddedUp: true },
];

const FAILED =
  /^(?:--- FAIL|FAIL\b|FAILED\b|not ok \d)|\bBUILD FAILED\b|^\[ERROR\] There are test failures|BUILD FAILURE|\*\* TEST FAILED \*\*/m;
/**
 * Statements about a whole run. `PASS` or `ok` lines of single files are not enough: a failure may have scrolled away.
 */
const PASSED = /^OK$|\bBUILD SUCCESSFUL\b|BUILD SUCCESS\b|All tests passed|\*\* TEST SUCCEEDED \*\*/m;

/** Outcome according to the output; null if it is inconclusive. */
function readOutcome(output: string): Outcome | null {
  for (const { line, passed, failed, all, isAddedUp = false } of COUNTS) {
    const lines = output.match(line);
    if (lines === null) continue;
    const text = isAddedUp ? lines : lines.slice(-1);
    const failures = sum(text, failed) ?? 0;
    const total = sum(text, all);
    const successes = sum(text, passed) ?? (total === null ? null : total - failures);
    return { outcome: failures > 0 || FAILED.test(output) ? 'failed' : 'passed', passed: successes, failed: failures };
  }
  if (FAILED.test(output)) return { ...UNKNOWN, outcome: 'failed' };
  return PASSED.test(output) ? PASSED_RUN : null;
}

function sum(lines: readonly string[], pattern: RegExp | undefined): number | null {
  if (pattern === undefined) return null;
  const every = new RegExp(pattern.source, 'g');
  const found = lines.flatMap((line) => [...line.matchAll(every)].map(([, digits]) => Number(digits)));
  return found.length === 0 ? null : found.reduce((total, n) => total + n, 0);
}
