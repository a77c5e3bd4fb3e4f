import { describe, expect, it, vi } from 'vitest';
import { readTimeRange } from './session-filter.ts';

const NOW = new Date('2026-11-15T12:00:00.000Z');

function read(words: Readonly<Record<string, string>>, flags: readonly string[] = []) {
  const values = new Map(Object.entries({ timezone: 'UTC', ...words }));
  return readTimeRange({ positionals: [], flags: new Set(flags), values }, NOW);
}

describe('a range of days', () => {
  it.each([
    [{ since: '7d' }, { after: '2026-11-08T00:00:00.000Z' }],
    [{ since: '12h' }, { after: '2026-11-15T00:00:00.000Z' }],
    [{ until: 'yesterday' }, { before: '2026-11-15T00:00:00.000Z' }],
    [{ until: '2026-10' }, { before: '2026-11-01T00:00:00.000Z' }],
    [
      { since: '2026-11-01', until: '2026-11-01', timezone: 'Europe/Berlin' },
      { after: '2026-10-31T23:00:00.000Z', before: '2026-11-01T23:00:00.000Z' },
    ],
  ])('%j', (words, range) => {
    expect(read(words)).toEqual(range);
  });

  it('today is one day', () => {
    const today = { after: '2026-11-15T00:00:00.000Z', before: '2026-11-16T00:00:00.000Z' };
    expect(read({}, ['today'])).toEqual(today);
  });

  it('an open one asks nothing of the system', () => {
    using _format = vi.spyOn(Intl, 'DateTimeFormat').mockImplementation(() => {
      throw new Error('asked for a time zone');
    });
    expect(readTimeRange({ positionals: [], flags: new Set(), values: new Map() }, NOW)).toEqual({});
  });

  it('refuses words that do not fit', () => {
    expect(() => read({ since: 'soon' })).toThrow('Invalid date "soon" for --since.');
    expect(() => read({ timezone: 'Nowhere' })).toThrow('Unknown time zone');
    expect(() => read({ since: 'today', until: 'yesterday' })).toThrow('The range ends before it begins');
  });
});
