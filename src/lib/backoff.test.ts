import { describe, expect, it } from 'vitest';
import { backoffMs } from './backoff.ts';

describe('backoffMs', () => {
  const pauses = { firstMs: 500, maxMs: 30_000 };

  it('doubles up to the maximum, after any number of failures', () => {
    expect([1, 2, 3, 7, 100, 10_000].map((failures) => backoffMs(failures, pauses))).toEqual([
      500, 1_000, 2_000, 30_000, 30_000, 30_000,
    ]);
    expect(backoffMs(0, pauses)).toBe(500);
  });

  it('supports another growth factor', () => {
    expect([1, 2, 3].map((failures) => backoffMs(failures, { firstMs: 1, maxMs: 1_000, factor: 4 }))).toEqual([
      1, 4, 16,
    ]);
  });

  it('randomises within the second half of the pause', () => {
    expect(backoffMs(1, pauses, () => 0)).toBe(250);
    expect(backoffMs(1, pauses, () => 0.5)).toBe(375);
  });
});
