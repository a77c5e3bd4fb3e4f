import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  compactPlural,
  firstLine,
  formatAgo,
  formatBytes,
  formatClock,
  formatClockSeconds,
  formatCompact,
  formatCost,
  formatCount,
  formatDate,
  formatDayHeading,
  formatDays,
  formatDuration,
  formatElapsed,
  formatRound,
  formatStarted,
  formatStartedOn,
  formatTime,
  plural,
  shortModel,
  withoutCodeMarks,
  withoutMarks,
  withoutTerminalCodes,
} from './format.ts';

afterEach(() => vi.unstubAllEnvs());

const NOW = new Date(2026, 10, 15, 12, 0);
const before = (ms: number) => new Date(NOW.getTime() - ms).toISOString();
/** Uses the calendar, so that daylight saving time does not matter. */
const daysBefore = (days: number) => new Date(2026, 10, 15 - days, 12, 0).toISOString();
const HOUR = 3_600_000;

describe('numbers', () => {
  test.each([
    [null, '–'],
    [0, '0'],
    [950, '950'],
    [9_460, '9.5k'],
    [643_200, '643k'],
    [999_960, '1.0M'],
    [1_240_000, '1.2M'],
    [2_100_000_000, '2.1B'],
  ])('%j tokens are %s', (count, shown) => {
    expect(formatCompact(count)).toBe(shown);
  });

  test.each([
    [null, '–'],
    [0, '$0.00'],
    [0.000_000_004, '<$0.000001'],
    [0.000_012_3, '$0.000012'],
    [0.001, '$0.0010'],
    [0.1843, '$0.18'],
    [999.999, '$1,000.00'],
    [1_234_567.5, '$1,234,567.50'],
  ])('%j dollars are %s', (cost, shown) => {
    expect(formatCost(cost)).toBe(shown);
  });

  test.each([
    [null, '–'],
    [400, '0s'],
    [59_400, '59s'],
    [59_600, '1m'],
    [2_520_000, '42m'],
    [59 * 60_000 + 40_000, '1h 00m'],
    [5_400_000, '1h 30m'],
    [27 * HOUR, '1d 3h'],
  ])('%j ms are %s', (ms, shown) => {
    expect(formatDuration(ms)).toBe(shown);
  });

  test.each([
    [999, '999 B'],
    [1_500, '1.5 kB'],
    [42_000_000, '42.0 MB'],
    [142_000_000, '142 MB'],
    [1_200_000_000, '1.2 GB'],
    [3_000_000_000_000, '3.0 TB'],
  ])('%j bytes are %s', (bytes, shown) => {
    expect(formatBytes(bytes)).toBe(shown);
  });
});

test('counts are grouped by thousands', () => {
  expect([0, 999, 1_000, 1_234_567, null].map(formatCount)).toEqual(['0', '999', '1,000', '1,234,567', '–']);
  expect([compactPlural(1, 'token'), compactPlural(9_500, 'token')]).toEqual(['1 token', '9.5k tokens']);
  expect([plural(1, 'file'), plural(2_000, 'file'), plural(2, 'reply', 'replies')]).toEqual([
    '1 file',
    '2,000 files',
    '2 replies',
  ]);
});

test('a cost that includes models of unknown price is never shown as a total', () => {
  expect([formatCost(null, ['x']), formatCost(1, ['x'])]).toEqual(['unknown', '$1.00+?']);
});

describe('time', () => {
  test.each([
    [before(10_000), 'just now', 'Today', 'just now'],
    [before(3 * 60_000), '3 min ago', 'Today', '3 min ago'],
    [before(2 * HOUR), '2 h ago', 'Today', '2 h ago'],
    [daysBefore(1), '12:00', 'Yesterday', '14 Nov'],
    [daysBefore(3), '12:00', 'Thursday 12 November', '12 Nov'],
    [daysBefore(10), '12:00', 'Thursday 5 November', '5 Nov'],
    [daysBefore(400), '12:00', 'Saturday 11 October 2025', '11 Oct 2025'],
    ['nonsense', '–', 'No date', '–'],
  ])('%s is %s under %s, and %s without a heading', (iso, started, period, day) => {
    expect([formatStarted(iso, NOW), formatDayHeading(iso, NOW), formatStartedOn(iso, NOW)]).toEqual([
      started,
      period,
      day,
    ]);
  });
});

describe('the clock', () => {
  const iso = '2026-07-01T23:03:20.052Z';
  const zones = [
    ['UTC', '2026-07-01 23:03', '2026-07-01'],
    ['Asia/Tokyo', '2026-07-02 08:03', '2026-07-02'],
    ['America/Los_Angeles', '2026-07-01 16:03', '2026-07-01'],
  ] as const;

  test.each(zones)('is local: %s', (zone, time, date) => {
    vi.stubEnv('TZ', zone);
    expect(formatTime(iso)).toBe(time);
    expect(formatDate(iso)).toBe(date);
    expect(formatClock(iso)).toBe(time.slice(-5));
    expect(formatClockSeconds(iso)).toBe(`${time.slice(-5)}:20`);
    expect(formatAgo(iso, new Date('2026-11-15T00:00:00Z'))).toBe(date);
  });

  test.each(zones)('uses the time zone %s if one is given', (zone, time, date) => {
    expect([formatTime(iso, zone), formatDate(iso, zone), formatClock(iso, zone)]).toEqual([
      time,
      date,
      time.slice(-5),
    ]);
  });

  test('is empty without a time', () => {
    expect([formatTime(null), formatTime('nonsense'), formatClock(null)]).toEqual(['', '', '']);
  });
});

describe('text', () => {
  test.each([
    ['claude-opus-5-5', 'opus 5.5'],
    ['claude-opus-4-5-20251101', 'opus 4.5'],
    ['claude-sonnet-4-20250514', 'sonnet 4'],
    ['claude-fable-5', 'fable 5'],
    ['claude-3-5-haiku-20241022', 'haiku 3.5'],
    ['claude-3-opus-20240229', 'opus 3'],
    ['claude-3-7-sonnet', 'sonnet 3.7'],
    ['some-other-model', 'some-other-model'],
  ])('%s is shown as %s', (model, shown) => {
    expect(shortModel(model)).toBe(shown);
  });

  test('terminal codes are removed, other control characters are made visible', () => {
    expect(withoutTerminalCodes('\u001b[31mred\u001b[0m \u001b]8;;http://x\u0007link\u001b]8;;\u0007 a\rb\u0000')).toBe(
      'red link a\nb\ufffd',
    );
  });

  test('the first line is truncated at its limit', () => {
    expect(firstLine('\n  abcdef\nrest', 4)).toBe('abcd…');
  });
});

test('short times have a unit that fits', () => {
  expect([0, 120, 999, 1_000, 2_345, 9_949, 9_950, 61_000, null].map(formatElapsed)).toEqual([
    '0ms',
    '120ms',
    '999ms',
    '1.0s',
    '2.3s',
    '9.9s',
    '10s',
    '1m',
    '–',
  ]);
});

test.each([
  [0, '0'],
  [50_000, '50k'],
  [44_800, '44.8k'],
  [200_000, '200k'],
  [1_000_000, '1M'],
])('%i on an axis is %s', (count, shown) => {
  expect(formatRound(count)).toBe(shown);
});

test('text without the marks around code', () => {
  expect(withoutCodeMarks('Delete `book.ts` and ``src``')).toBe('Delete book.ts and src');
  expect(withoutCodeMarks('a ` alone')).toBe('a ` alone');
});

test.each([
  ['- **Summary:** see `a.ts`', 'Summary: see a.ts'],
  ['## Done', 'Done'],
  ['2 * 3 ** 4', '2 * 3 ** 4'],
])('%j as plain text', (line, text) => {
  expect(withoutMarks(line)).toBe(text);
});

test('a text is never cut within a character', () => {
  expect(firstLine('abc🚢', 4)).toBe('abc…');
  expect(firstLine('abc🚢\nd', 5)).toBe('abc🚢');
  expect(firstLine('ab🚢🚢', 4)).toBe('ab🚢…');
});

test.each([
  ['2026-11-06', '2026-11-19', '6 – 19 Nov 2026'],
  ['2025-05-24', '2025-06-20', '24 May – 20 Jun 2025'],
  ['2025-12-20', '2026-01-02', '20 Dec 2025 – 2 Jan 2026'],
])('the days from %s to %s are %s', (first, last, shown) => {
  expect(formatDays(first, last).replaceAll(/\s/g, ' ')).toBe(shown);
});
