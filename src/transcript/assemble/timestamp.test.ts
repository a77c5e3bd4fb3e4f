import { check, date, defaultReportMessage, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPlausibleTime, millisBetween } from './timestamp.ts';

const EPOCH = '1970-01-01T00:00:00Z';

describe('times', () => {
  it('differ by the same amount as with Date.parse', () => {
    const between = date({ min: new Date('2020-01-01'), max: new Date('2099-12-31'), noInvalidDate: true });
    const same = property(between, (value) => {
      expect(millisBetween(EPOCH, value.toISOString())).toBe(value.getTime());
      expect(isPlausibleTime(value.toISOString())).toBe(true);
    });
    expect(defaultReportMessage(check(same, { numRuns: 1_000 }))).toBeUndefined();
  });

  it.each([
    '',
    'now',
    '2019-12-31T23:59:59.999Z',
    '2100-01-01T00:00:00.000Z',
    '2026-13-01T00:00:00.000Z',
    '2026-00-01T00:00:00.000Z',
    '2026.11.15T09:30:00.000Z',
    '2026-11-15T09-30-00.000Z',
  ])('%j is not plausible', (time) => expect(isPlausibleTime(time)).toBe(false));

  it.each(['2026-01-01T00:00:00Z', '2026-01-01T00:00:00+02:00'])('%s is plausible', (time) => {
    expect(isPlausibleTime(time)).toBe(true);
  });

  it('C24 a span is never negative and requires two times', () => {
    expect(millisBetween('2026-01-01T00:00:05.000Z', '2026-01-01T00:00:01.000Z')).toBe(0);
    expect(millisBetween(null, EPOCH)).toBeNull();
    expect(millisBetween('x', EPOCH)).toBeNull();
  });
});
