import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FuelError } from '../domain/errors.ts';
import { endOfDate, readDate, readDuration, startOfDate } from './dates.ts';

/** A Sunday, but already Monday in Kathmandu. */
const NOW = new Date('2026-11-15T23:30:00.000Z');
const utc = { now: NOW, zone: 'UTC' };
const berlin = { now: NOW, zone: 'Europe/Berlin' };

describe('dates', () => {
  it.each([
    ['2026-11-03', '2026-11-03T00:00:00.000Z', '2026-11-04T00:00:00.000Z'],
    ['2026-1-3', '2026-01-03T00:00:00.000Z', '2026-01-04T00:00:00.000Z'],
    ['2026-02', '2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'],
    ['2025', '2025-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'],
    ['today', '2026-11-15T00:00:00.000Z', '2026-11-16T00:00:00.000Z'],
    [' Yesterday', '2026-11-14T00:00:00.000Z', '2026-11-15T00:00:00.000Z'],
    ['sunday', '2026-11-15T00:00:00.000Z', '2026-11-16T00:00:00.000Z'],
    ['monday', '2026-11-09T00:00:00.000Z', '2026-11-10T00:00:00.000Z'],
    ['0d', '2026-11-15T00:00:00.000Z', '2026-11-16T00:00:00.000Z'],
    ['7d', '2026-11-08T00:00:00.000Z', '2026-11-09T00:00:00.000Z'],
    ['3w', '2026-10-25T00:00:00.000Z', '2026-10-26T00:00:00.000Z'],
    ['6mo', '2026-05-15T00:00:00.000Z', '2026-05-16T00:00:00.000Z'],
    ['1y', '2025-11-15T00:00:00.000Z', '2025-11-16T00:00:00.000Z'],
  ])('%s covers whole days', (text, from, to) => {
    expect([startOfDate(text, utc), endOfDate(text, utc)]).toEqual([from, to]);
  });

  it.each([
    ['12h', '2026-11-15T11:30:00.000Z'],
    ['30min', '2026-11-15T23:00:00.000Z'],
    ['2026-11-03T14:00', '2026-11-03T14:00:00.000Z'],
    ['2026-11-03T14:00:01.5Z', '2026-11-03T14:00:01.500Z'],
    ['2026-11-03t14:00+02:00', '2026-11-03T12:00:00.000Z'],
  ])('%s is a moment', (text, at) => {
    expect(readDate(text, utc)).toEqual({ kind: 'moment', at });
    expect(endOfDate(text, utc)).toBe(at);
  });

  it('never leaves the years that both engines support', () => {
    expect(startOfDate('0001-01-01', { ...utc, zone: 'Asia/Tokyo' })).toBe('0001-01-01T00:00:00.000Z');
    expect(endOfDate('9999-12-31', { ...utc, zone: 'America/Lima' })).toBe('9999-12-31T23:59:59.999Z');
  });

  it('counts months back to the last day of a shorter month', () => {
    const now = new Date('2026-03-31T12:00:00.000Z');
    expect(['1mo', '2mo'].map((age) => startOfDate(age, { ...utc, now }).slice(0, 10))).toEqual([
      '2026-02-28',
      '2026-01-31',
    ]);
  });

  it('uses the days of the time zone, including daylight saving changes', () => {
    expect(startOfDate('today', { ...utc, zone: 'Asia/Kathmandu' })).toBe('2026-11-15T18:15:00.000Z');
    expect(startOfDate('monday', { ...utc, zone: 'Asia/Kathmandu' })).toBe('2026-11-15T18:15:00.000Z');
    expect([startOfDate('2026-10-25', berlin), endOfDate('2026-10-25', berlin)]).toEqual([
      '2026-10-24T22:00:00.000Z',
      '2026-10-25T23:00:00.000Z',
    ]);
    expect(startOfDate('2026-10-25T01:30', berlin)).toBe('2026-10-24T23:30:00.000Z');
    expect(startOfDate('2026-10-25T12:00', berlin)).toBe('2026-10-25T11:00:00.000Z');
    expect(startOfDate('2026-10-25T12:00Z', berlin)).toBe('2026-10-25T12:00:00.000Z');
  });

  it('rejects m, which could mean minutes or months', () => {
    expect(() => readDate('3m', { ...utc, name: '--since' })).toThrow(
      'Ambiguous date "3m" for --since: m could be minutes or months.',
    );
    expect(() => readDuration('3m')).toThrow(expect.objectContaining({ code: 'usage', hint: 'Write 3min or 3mo.' }));
  });

  it.each([
    '',
    'soon',
    '7',
    'd',
    '-7d',
    '7x',
    '2026-02-30',
    '2026-13',
    '0000',
    '2026-11-03T25:00',
    '0001-01-01T00:00+14:00',
    '99999y',
  ])('rejects %j', (text) => {
    expect(() => readDate(text, { ...utc, name: 'after' })).toThrow(`Invalid date ${JSON.stringify(text)} for after.`);
  });

  it('returns an ordered range or an error message for any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^\d{1,6}(min|h|d|w|mo|y|m)$/)), (text) => {
        try {
          const [from, to] = [startOfDate(text, utc), endOfDate(text, utc)];
          expect(from <= to && from.length === to.length).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(FuelError);
          expect(error).toMatchObject({ code: 'usage' });
        }
      }),
    );
  });
});

describe('durations', () => {
  it.each([
    ['90s', 90_000],
    ['30min', 1_800_000],
    ['1.5h', 5_400_000],
    ['2D', 172_800_000],
    ['1w', 604_800_000],
    ['1mo', 2_592_000_000],
    ['1y', 31_536_000_000],
  ])('%s', (text, ms) => {
    expect(readDuration(text)).toBe(ms);
  });

  it.each(['', '5', 'h', '-1h', '9999y', '1 year'])('rejects %j', (text) => {
    expect(() => readDuration(text, '--expires')).toThrow(`Invalid duration ${JSON.stringify(text)} for --expires.`);
  });
});
