import type { TestOutcome } from '../domain/summary.ts';

/**
 * How much a summary without failures shows: `all` that there were none, `end` the same unless lines of it were filtered
 * out, `part` nothing, because a line about failures may have been cut off.
 */
interface TestOutput extends TestOutcome {
  readonly shown: 'all' | 'end' | 'part';
}

/** Summary lines of a test runner, with the patterns for passed, failed, skipped and all tests. */
interface Summary {
  readonly line: RegExp;
  readonly passed?: RegExp;
  readonly failed?: RegExp;
  readonly skipped?: RegExp;
  readonly all?: RegExp;
  /**
   * The lines are counts of different tests, and are added up; or the last one is the total. Otherwise several lines are
   * several runs or one run printed twice, so the numbers are left out.
   */
  readonly lines?: 'added' | 'total';
  /** It has several lines, and those with failures come last; or the pattern of a line that shows there are none. */
  readonly isWholeWith?: 'end' | RegExp;
}

const SUMMARIES: readonly Summary[] = [
  { line: /^[ \t]*Tests:\s.*\(\d+ assertions?\).*$/gm, passed: /(\d+) passed/, failed: /(\d+) failed/ },
  {
    line: /^[ \t]*Tests:?\s.*\b\d+ (?:passed|failed)\b.*$/gm,
    passed: /(\d+) passed/,
    failed: /(\d+) failed/,
    // A file that cannot be loaded fails without a failed test.
    isWholeWith: /^[ \t]*Test (?:Files|Suites):? /m,
  },
  {
    line: /^(?:=+ )?\d+ [a-z]+(?:, \d+ [a-z]+(?: [a-z]+)?)* in [\d.]+s?\b.*$/gm,
    passed: /(\d+) passed/,
    failed: /(\d+) (?:failed|errors?)/,
  },
  { line: /^test result: .*$/gm, passed: /(\d+) passed/, failed: /(\d+) failed/, lines: 'added' },
  { line: /^[ \t]*Summary \[.*\btests? run: .*$/gm, passed: /(\d+) passed/, failed: /(\d+) (?:failed|timed out)/ },
  {
    line: /^[ \t]*\d+ (?:passing|failing)\b.*$/gm,
    passed: /(\d+) passing/,
    failed: /(\d+) failing/,
    lines: 'added',
    isWholeWith: 'end',
  },
  {
    line: /^\d+ examples?, \d+ failures?.*$/gm,
    all: /(\d+) examples?/,
    failed: /(\d+) (?:failures?|errors?)/,
    skipped: /(\d+) pending/,
  },
  {
    // The totals of modules; the lines of single classes have a time.
    line: /Tests run: \d+, Failures: \d+, Errors: \d+(?!.*Time elapsed).*$/gm,
    all: /run: (\d+)/,
    failed: /(?:Failures|Errors): (\d+)/,
    skipped: /Skipped: (\d+)/,
    lines: 'added',
    isWholeWith: 'end',
  },
  {
    line: /^Tests: \d+, Assertions: \d+.*$/gm,
    all: /Tests: (\d+)/,
    failed: /(?:Failures|Errors): (\d+)/,
    skipped: /(?:Skipped|Incomplete): (\d+)/,
  },
  { line: /^OK \(\d+ tests?,.*$/gm, passed: /(\d+) tests?/ },
  {
    line: /^(?:#|ℹ) (?:pass|fail|cancelled) \d+$/gm,
    passed: /pass (\d+)/,
    failed: /(?:fail|cancelled) (\d+)/,
    lines: 'added',
    isWholeWith: 'end',
  },
  {
    line: /Failed:\s+\d+, Passed:\s+\d+.*$/gm,
    passed: /Passed:\s+(\d+)/,
    failed: /Failed:\s+(\d+)/,
    lines: 'added',
    isWholeWith: 'end',
  },
  { line: /^[ \t]*Test summary: total: \d+, .*$/gm, passed: /succeeded: (\d+)/, failed: /failed: (\d+)/ },
  { line: /^FAILED \(.*\b(?:failures|errors)=\d+.*$/gm, failed: /(?:failures|errors)=(\d+)/ },
  {
    line: /^Ran \d+ tests? in .*\n\s*OK(?: \(.*\))?$/gm,
    all: /Ran (\d+)/,
    skipped: /(?:skipped|expected failures)=(\d+)/,
  },
  {
    line: /^[ \t]*\d+ pass$|^[ \t]*\d+ fail$/gm,
    passed: /(\d+) pass/,
    failed: /(\d+) fail/,
    lines: 'added',
    isWholeWith: 'end',
  },
  { line: /^(?:ok|FAILED) \| \d+ passed.*$/gm, passed: /(\d+) passed/, failed: /(\d+) failed/ },
  {
    line: /^ {2}\d+ (?:passed|failed|interrupted)(?: \(.*\))?$/gm,
    passed: /(\d+) passed/,
    failed: /(\d+) (?:failed|interrupted)/,
    lines: 'added',
    // Failures come before the number of passed tests.
    isWholeWith: /^Running \d+ tests? /m,
  },
  {
    line: /^[ \t]+\d+ tests? (?:passed|failed)$/gm,
    passed: /(\d+) tests? passed/,
    failed: /(\d+) tests? failed/,
    lines: 'added',
    isWholeWith: /^[ \t]*─+$/m,
  },
  {
    line: /Executed \d+ tests?, with .*$/gm,
    all: /Executed (\d+)/,
    failed: /(\d+) failures?/,
    skipped: /(\d+) tests? skipped/,
    lines: 'total',
    isWholeWith: 'end',
  },
  {
    line: /Executed \d+ of \d+\b.*(?:SUCCESS|FAILED).*$/gm,
    all: /Executed (\d+)/,
    failed: /\((\d+) FAILED\)/,
    lines: 'total',
    isWholeWith: 'end',
  },
  {
    line: /^(?:\d+ (?:doctests?|properties|property), )*\d+ (?:tests?|specs?), \d+ failures?.*$/gm,
    all: /(\d+) (?:doctests?|propert(?:y|ies)|tests?|specs?)\b(?!.*excluded)/,
    failed: /(\d+) failures?/,
    skipped: /(\d+) (?:skipped|pending)/,
  },
  {
    line: /^\d+ (?:runs|tests), \d+ assertions, \d+ failures, \d+ errors.*$/gm,
    all: /(\d+) (?:runs|tests)/,
    failed: /(\d+) (?:failures|errors)/,
    skipped: /(\d+) (?:skips|pendings|omissions)/,
  },
  { line: /^\d+% tests passed, .*$/gm, all: /out of (\d+)/, failed: /(\d+) tests? failed/ },
  {
    line: /^\[info\] Tests: succeeded \d+, failed \d+.*$/gm,
    passed: /succeeded (\d+)/,
    failed: /(?:failed|aborted) (\d+)/,
    lines: 'added',
    isWholeWith: 'end',
  },
  { line: /^.*\b\d+\/\d+ tests passed.*$/gm, passed: /(\d+)\/\d+ tests/, failed: /(\d+) failed/ },
  { line: /^Executed \d+ out of \d+ tests?: .*$/gm, passed: /(\d+) tests? pass/, failed: /(\d+) fails?\b/ },
  {
    line: /^DONE \d+ tests?\b.*$/gm,
    all: /DONE (\d+)/,
    failed: /(\d+) (?:failures?|errors?)/,
    skipped: /(\d+) skipped/,
  },
  { line: /^\d+ tests?, \d+ passed, \d+ failed.*$/gm, passed: /(\d+) passed/, failed: /(\d+) failed/, lines: 'total' },
  {
    line: /^\d+ scenarios? (?:passed|\().*$/gm,
    passed: /(\d+) (?:scenarios? )?passed/,
    failed: /(\d+) (?:scenarios? )?(?:failed|undefined)/,
  },
  {
    line: /^Ran \d+ test suites? .*: \d+ tests? passed.*$/gm,
    passed: /(\d+) tests? passed/,
    failed: /(\d+) failed/,
  },
];

const FAILED = new RegExp(
  [
    String.raw`^(?:--- FAIL|FAIL\b|FAILED\b|not ok \d)|\bBUILD FAILED\b|^\[ERROR\] There are test failures|BUILD FAILURE`,
    String.raw`\*\* TEST FAILED \*\*|^\s*Test (?:Files|Suites):? .*\b[1-9]\d* failed|^\s*Errors\s+[1-9]\d* errors?$`,
    String.raw`^error: could not compile |^✘ Test run with|: Some tests failed\.|^\s*✖\s+\d+ of \d+ failed|^Result: FAIL`,
    String.raw`^\s*evaluation failed :\(|^npm (?:error|ERR!) Test failed\b|^\s*NX\s.*\bfailed\b|^\s*Failed:\s+\S+#\S+`,
  ].join('|'),
  'm',
);
/**
 * Statements about a whole run. `PASS` or `ok` lines of single files are not enough: a failure may have scrolled away.
 */
const PASSED =
  /^OK$|\bBUILD SUCCESSFUL\b|BUILD SUCCESS\b|All tests passed|All specs passed|^All tests successful\.|\*\* TEST SUCCEEDED \*\*|^✔ Test run with|^\s*congratulations :\)|^\s*Tasks:\s+(\d+) successful, \1 total/m;
const NOTHING_RAN = /^(?:=+ )?no tests ran in |^No tests? (?:files? )?found, exiting|^No tests executed!/m;
/** Of Go, per package. */
const PACKAGE = /^(?:ok|\?)[ \t]+\S+[ \t].*$/gm;
const EMPTY_PACKAGE = /\[no tests? (?:to run|files)\]$/;

/** The outcome according to an output; null if it is inconclusive, `unknown` if it says that no test ran. */
export function readTestOutput(printed: string): TestOutput | null {
  const output = printed.replaceAll('\r\n', '\n');
  for (const summary of SUMMARIES) {
    const lines = output.match(summary.line);
    if (lines !== null) return readSummary(summary, lines, output);
  }
  const unnumbered = { passed: null, failed: null, shown: 'end' } as const;
  if (FAILED.test(output)) return { ...unnumbered, outcome: 'failed' };
  const packages = output.match(PACKAGE) ?? [];
  const isEmpty = packages.length > 0 && packages.every((line) => EMPTY_PACKAGE.test(line));
  if (isEmpty || NOTHING_RAN.test(output)) return { ...unnumbered, outcome: 'unknown' };
  return PASSED.test(output) ? { ...unnumbered, outcome: 'passed' } : null;
}

function readSummary(summary: Summary, lines: readonly string[], output: string): TestOutput {
  const { lines: kind, isWholeWith } = summary;
  const distinct = [...new Set(lines)];
  const counted = kind === 'added' ? lines : kind === 'total' ? lines.slice(-1) : distinct;
  const failures = sum(counted, summary.failed) ?? 0;
  const total = sum(counted, summary.all);
  const others = failures + (sum(counted, summary.skipped) ?? 0);
  const passed = sum(counted, summary.passed) ?? (total === null ? null : Math.max(0, total - others));
  const isClear = kind !== undefined || distinct.length === 1;
  const isWhole = isWholeWith === undefined || (isWholeWith !== 'end' && isWholeWith.test(output));
  return {
    outcome: failures > 0 || FAILED.test(output) ? 'failed' : 'passed',
    passed: isClear ? passed : null,
    failed: isClear || failures === 0 ? failures : null,
    shown: isWhole ? 'all' : isWholeWith === 'end' ? 'end' : 'part',
  };
}

function sum(lines: readonly string[], pattern: RegExp | undefined): number | null {
  if (pattern === undefined) return null;
  const every = new RegExp(pattern.source, 'g');
  const found = lines.flatMap((line) => [...line.matchAll(every)].map(([, digits]) => Number(digits)));
  return found.length === 0 ? null : found.reduce((total, n) => total + n, 0);
}
