import type { TestRunner } from '../domain/summary.ts';
import { count } from './phrases.ts';

/** One phrase per runner: number of calls, passes and failures, and the outcome of the last call. */
export function describeTests(runners: readonly TestRunner[]): readonly string[] {
  return runners.map(({ label, calls, passed, failed, last }) => {
    const known = [
      ...(passed === 0 ? [] : [`${passed.toLocaleString('en-US')} passed`]),
      ...(failed === 0 ? [] : [`${failed.toLocaleString('en-US')} failed`]),
      ...(last.outcome === 'unknown' ? [] : [`the last ${last.outcome}${numbersOf(last)}`]),
    ];
    return `${label}: ${[count(calls, 'call'), ...known].join(', ')}`;
  });
}

function numbersOf({ outcome, passed, failed }: TestRunner['last']): string {
  if (outcome === 'failed') return failed ? ` (${failed.toLocaleString('en-US')} failed)` : '';
  return passed ? ` (${count(passed, 'test')})` : '';
}
