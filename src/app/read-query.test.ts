import { describe, expect, it } from 'vitest';
import { type CostInput, readCostQuery } from './read-query.ts';

const NOW = new Date('2026-11-15T23:30:00.000Z');
const read = (words: CostInput) => readCostQuery({ timezone: 'UTC', ...words }, NOW);

describe('a query about costs', () => {
  it('is by day, unlimited and in the system time zone by default', () => {
    const timezone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
    expect(readCostQuery({}, NOW)).toEqual({ by: 'day', timezone, since: null, until: null });
  });

  it.each([
    ['2026-10-01', '2026-10-01'],
    ['today', '2026-11-15'],
    ['Yesterday', '2026-11-14'],
    ['0d', '2026-11-15'],
    ['7d', '2026-11-08'],
    ['2w', '2026-11-01'],
    ['1mo', '2026-10-15'],
    ['12mo', '2025-11-15'],
    ['1y', '2025-11-15'],
    ['sunday', '2026-11-15'],
    ['2026-1-1', '2026-01-01'],
  ])('takes %s as %s', (word, day) => {
    expect(read({ since: word }).since).toBe(day);
    expect(read({ until: word }).until).toBe(day);
  });

  it('knows the current day in the given time zone', () => {
    expect(read({ since: 'today', timezone: 'Asia/Kathmandu' }).since).toBe('2026-11-16');
  });

  it('uses the last day of a shorter month', () => {
    const since = (now: string) => readCostQuery({ timezone: 'UTC', since: '1mo' }, new Date(now)).since;
    expect(['2026-03-31T12:00:00Z', '2028-03-30T12:00:00Z'].map(since)).toEqual(['2026-02-28', '2028-02-29']);
  });

  it.each(['', 'soon', '2026-02-30', '7', 'd', '-7d', '99999w', '99999mo'])('rejects %j as a date', (word) => {
    expect(() => read({ since: word })).toThrow(`Invalid date ${JSON.stringify(word)} for since.`);
  });

  it.each(['12h', '2026-11-15T10:00', '9999-01-01'])('rejects %j, which is not a whole day', (word) => {
    expect(() => read({ since: word })).toThrow(`since must be a day, not ${JSON.stringify(word)}`);
  });

  it('accepts the first and the last day of a month', () => {
    expect(read({ since: '2026-02', until: '2026-02' })).toMatchObject({ since: '2026-02-01', until: '2026-02-28' });
  });

  it('rejects a range that ends before it starts', () => {
    expect(() => read({ since: 'today', until: 'yesterday' })).toThrow('2026-11-15 is after the end date 2026-11-14');
    expect(read({ since: 'today', until: 'today' })).toMatchObject({ since: '2026-11-15', until: '2026-11-15' });
  });

  it('rejects an unknown time zone', () => {
    expect(() => read({ timezone: 'Nowhere' })).toThrow('Unknown time zone "Nowhere"');
  });
});
