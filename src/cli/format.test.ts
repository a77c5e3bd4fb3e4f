import { afterEach, describe, expect, test, vi } from 'vitest';
import { formatAgo, formatClock, formatDate, formatDuration, formatTime } from './format.ts';

afterEach(() => vi.unstubAllEnvs());

test.each([
  [null, '–'],
  [400, '0s'],
  [59_400, '59s'],
  [59_600, '1m'],
  [12 * 60_000 + 40_000, '13m'],
  [59 * 60_000 + 40_000, '1h00'],
  [11 * 3_600_000 + 57 * 60_000, '11h57'],
  [27 * 3_600_000, '1d3h'],
])('%j ms last %s, as on the page', (ms, shown) => {
  expect(formatDuration(ms)).toBe(shown);
});

describe('times are told by the clock on the wall', () => {
  test.each([
    ['UTC', '2026-07-01 23:03', '2026-07-01'],
    ['Asia/Tokyo', '2026-07-02 08:03', '2026-07-02'],
    ['America/Los_Angeles', '2026-07-01 16:03', '2026-07-01'],
  ])('in %s', (zone, time, date) => {
    vi.stubEnv('TZ', zone);
    const iso = '2026-07-01T23:03:20.052Z';
    expect(formatTime(iso)).toBe(time);
    expect(formatDate(iso)).toBe(date);
    expect(formatClock(iso)).toBe(`${time.slice(-5)}:20`);
    expect(formatAgo(iso, new Date('2026-11-15T00:00:00Z'))).toBe(date);
  });

  test('a time that nobody wrote down is told by nothing', () => {
    expect(formatTime(null)).toBe('');
  });
});
