import { describe, expect, it } from 'vitest';
import { breakMs, msUntilTomorrow, retryMs } from './pauses.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

describe('pauses', () => {
  it('G8: grow with jitter up to a maximum', () => {
    const most = [1, 2, 3, 4, 50].map((attempts) => retryMs(attempts, null, () => 1));
    expect(most).toEqual([MINUTE_MS, 2 * MINUTE_MS, 4 * MINUTE_MS, 8 * MINUTE_MS, 6 * HOUR_MS]);
    expect(retryMs(3, null, () => 0)).toBe(2 * MINUTE_MS);
  });

  it('G8: are never shorter than the service requested', () => {
    expect(retryMs(1, HOUR_MS, () => 1)).toBe(HOUR_MS);
    expect(breakMs(1, HOUR_MS)).toBe(HOUR_MS);
  });

  it('G8: stop the whole service from the third consecutive failure on', () => {
    expect([1, 2, 3, 4, 5, 60].map((failures) => breakMs(failures, null))).toEqual([
      0,
      0,
      MINUTE_MS,
      2 * MINUTE_MS,
      4 * MINUTE_MS,
      HOUR_MS,
    ]);
  });

  it('G12: a day ends at midnight UTC', () => {
    expect(msUntilTomorrow(Date.parse('2026-11-15T23:59:00Z'))).toBe(MINUTE_MS);
    expect(msUntilTomorrow(Date.parse('2026-11-15T00:00:00Z'))).toBe(24 * HOUR_MS);
  });
});
