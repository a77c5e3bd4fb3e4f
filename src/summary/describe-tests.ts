import { times } from './phrases.ts';
import type { TestRun } from './test-runs.ts';

export interface TestStory {
  readonly runners: readonly { readonly label: string; readonly runs: readonly TestRun[] }[];
  /** How the last run ended whose end is known; null without one. */
  readonly last: 'passed' | 'failed' | null;
}

export function testStoryOf(runs: readonly TestRun[]): TestStory {
  const byLabel = Map.groupBy(runs, ({ label }) => label);
  const last = runs.findLast(({ outcome }) => outcome !== 'unknown')?.outcome;
  return {
    runners: [...byLabel].map(([label, list]) => ({ label, runs: list })),
    last: last === 'passed' || last === 'failed' ? last : null,
  };
}

/** One line a runner: how often, how it went, how it ended. */
export function describeTests({ runners }: TestStory): readonly string[] {
  return runners.map(({ label, runs }) => {
    const known = runs.filter(({ outcome }) => outcome !== 'unknown');
    const last = known.at(-1);
    if (last === undefined) return `${label} ran ${times(runs.length)}, its outcome is not in the files`;
    const ended = `${last.outcome}${countsOf(last)}`;
    if (runs.length === 1) return `${label} ${ended}`;
    const failures = known.filter(({ outcome }) => outcome === 'failed').length;
    const isMixed = failures > 0 && failures < known.length;
    const how = isMixed
      ? `failed ${times(failures)}, in the end ${ended}`
      : `${last.outcome} each time${countsOf(last)}`;
    return `${label} ran ${times(runs.length)}, ${how}`;
  });
}

function countsOf({ outcome, passed, failed }: TestRun): string {
  if (outcome === 'failed') return failed === null || failed === 0 ? '' : ` (${failed} of ${failed + (passed ?? 0)})`;
  return passed === null || passed === 0 ? '' : ` (${passed})`;
}
