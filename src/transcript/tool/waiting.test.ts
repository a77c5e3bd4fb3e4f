import { describe, expect, it } from 'vitest';
import { waitingMs } from './verdict.ts';

const HOUR = 3_600_000;

// Finding 6.12: a Bash call that waited eleven hours for permission was reported as the longest tool run.
describe('time in which a tool cannot have been running', () => {
  it.each([
    ['Bash', 11 * HOUR, null, 120_000, 11 * HOUR - 120_000],
    ['Bash', 11 * HOUR, null, null, 11 * HOUR - 600_000],
    ['Bash', 90_000, null, null, 0],
    ['Bash', 123_000, null, 120_000, 0],
    ['Edit', 7_999, null, null, 0],
    ['Edit', 60_000, null, null, 60_000],
    ['AskUserQuestion', 60_000, null, null, 60_000],
    ['WebFetch', 61_250, 1_250, null, 60_000],
    ['WebFetch', 61_250, null, null, 0],
    [null, HOUR, null, null, 0],
  ])('%s, %d ms between call and result', (name, betweenMs, reportedMs, timeoutMs, expected) => {
    expect(waitingMs(name, betweenMs, { reportedMs, timeoutMs })).toBe(expected);
  });
});
