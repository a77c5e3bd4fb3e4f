import { describe, expect, it } from 'vitest';
import { type CostWords, readCostQuery } from './cost-query.ts';

const NOW = new Date('2026-11-15T23:30:00.000Z');
const read = (words: CostWords) => readCostQuery({ timezone: 'UTC', ...words }, NOW);

describe('a query about costs', () => {
  it('is by day, open at both ends, in the zone of the system, when nothing is said', () => {
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
    ['1m', '2026-10-15'],
    ['12m', '2025-11-15'],
  ])('takes %s for %s', (word, day) => {
    expect(read({ since: word }).since).toBe(day);
    expect(read({ until: word }).until).toBe(day);
  });

  it('knows which day it is in the zone that is meant', () => {
    expect(read({ since: 'today', timezone: 'Asia/Kathmandu' }).since).toBe('2026-11-16');
  });

  it('takes the last day of a month that is shorter', () => {
    const since = (now: string) => readCostQuery({ timezone: 'UTC', since: '1m' }, new Date(now)).since;
    expect(['2026-03-31T12:00:00Z', '2028-03-30T12:00:00Z'].map(since)).toEqual(['2026-02-28', '2028-02-29']);
  });

  it.each([
    '',
    'soon',
    '2026-02-30',
    '2026-1-1',
    '7',
    'd',
    '-7d',
    '7y',
    '99999w',
    '99999m',
    '9999-01-01',
    '2026-11-15T10:00',
  ])('refuses %j as a day with a sentence', (word) => {
    expect(() => read({ since: word })).toThrow(`--since must be a day, but is ${JSON.stringify(word)}`);
  });

  it('refuses a range that ends before it begins', () => {
    expect(() => read({ since: 'today', until: 'yesterday' })).toThrow('since 2026-11-15, until 2026-11-14');
    expect(read({ since: 'today', until: 'today' })).toMatchObject({ since: '2026-11-15', until: '2026-11-15' });
  });

  it('refuses a grouping and a zone that are none', () => {
    expect(() => read({ by: 'colour' })).toThrow('Costs cannot be grouped by "colour".');
    expect(() => read({ timezone: 'Nowhere' })).toThrow('"Nowhere" is no time zone');
  });
});
