import { describe, expect, test } from 'vitest';
import {
  firstLine,
  formatBytes,
  formatCompact,
  formatCost,
  formatDuration,
  formatPeriod,
  formatStarted,
  shortModel,
  withoutTerminalCodes,
} from './format.ts';

const NOW = new Date(2026, 10, 15, 12, 0);
const before = (ms: number) => new Date(NOW.getTime() - ms).toISOString();
/** By the calendar, so that summer time does not matter. */
const daysBefore = (days: number) => new Date(2026, 10, 15 - days, 12, 0).toISOString();
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('numbers', () => {
  test.each([
    [null, '–'],
    [0, '0'],
    [950, '950'],
    [9_460, '9.46k'],
    [643_200, '643k'],
    [1_250_000, '1.25M'],
  ])('%j tokens are %s', (count, shown) => {
    expect(formatCompact(count)).toBe(shown);
  });

  test.each([
    [null, '–'],
    [0, '$0.00'],
    [0.001, '<$0.01'],
    [0.1843, '$0.18'],
    [1_234.5, '$1,234.50'],
  ])('%j dollars are %s', (cost, shown) => {
    expect(formatCost(cost)).toBe(shown);
  });

  test.each([
    [null, '–'],
    [400, '0 s'],
    [59_000, '59 s'],
    [2_520_000, '42 min'],
    [5_400_000, '1 h 30 min'],
    [59_600, '1 min'],
    [3 * DAY, '3 days'],
  ])('%j ms are %s', (ms, shown) => {
    expect(formatDuration(ms)).toBe(shown);
  });

  test.each([
    [999, '999 B'],
    [1_500, '1.5 kB'],
    [42_000_000, '42 MB'],
    [1_200_000_000, '1.2 GB'],
  ])('%j bytes are %s', (bytes, shown) => {
    expect(formatBytes(bytes)).toBe(shown);
  });
});

describe('time', () => {
  test.each([
    [before(10_000), 'just now', 'Today'],
    [before(3 * 60_000), '3 min ago', 'Today'],
    [before(2 * HOUR), '2 h ago', 'Today'],
    [daysBefore(1), '12:00', 'Yesterday'],
    [daysBefore(3), 'Thu 12:00', 'Past week'],
    [daysBefore(10), '5 Nov 12:00', 'November'],
    [daysBefore(400), '11 Oct 12:00', 'October 2025'],
    ['nonsense', '–', 'Without a date'],
  ])('%s is %s under %s', (iso, started, period) => {
    expect([formatStarted(iso, NOW), formatPeriod(iso, NOW)]).toEqual([started, period]);
  });
});

describe('text', () => {
  test.each([
    ['claude-opus-5-5', 'opus 5.5'],
    ['claude-opus-4-5-20251101', 'opus 4.5'],
    ['claude-sonnet-4-20250514', 'sonnet 4'],
    ['claude-fable-5', 'fable 5'],
    ['some-other-model', 'some-other-model'],
  ])('%s is shown as %s', (model, shown) => {
    expect(shortModel(model)).toBe(shown);
  });

  test('terminal codes are taken out, other control characters are made visible', () => {
    expect(withoutTerminalCodes('\u001b[31mred\u001b[0m \u001b]8;;http://x\u0007link\u001b]8;;\u0007 a\rb\u0000')).toBe(
      'red link a\nb\ufffd',
    );
  });

  test('the first line is cut at its limit', () => {
    expect(firstLine('\n  abcdef\nrest', 4)).toBe('abcd…');
  });
});
