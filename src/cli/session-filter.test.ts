import { describe, expect, it, vi } from 'vitest';
import { readFilter, readTimeRange } from './session-filter.ts';

const NOW = new Date('2026-11-15T12:00:00.000Z');

function read(words: Readonly<Record<string, string>>, flags: readonly string[] = []) {
  const values = new Map(Object.entries({ timezone: 'UTC', ...words }));
  return readTimeRange({ positionals: [], flags: new Set(flags), values }, NOW);
}

describe('time ranges', () => {
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

  it('accepts --today as a single day', () => {
    const today = { after: '2026-11-15T00:00:00.000Z', before: '2026-11-16T00:00:00.000Z' };
    expect(read({}, ['today'])).toEqual(today);
  });

  it('does not read the system time zone without a range', () => {
    using _format = vi.spyOn(Intl, 'DateTimeFormat').mockImplementation(() => {
      throw new Error('asked for a time zone');
    });
    expect(readTimeRange({ positionals: [], flags: new Set(), values: new Map() }, NOW)).toEqual({});
  });

  it('rejects invalid dates', () => {
    expect(() => read({ since: 'soon' })).toThrow('Invalid date "soon" for --since.');
    expect(() => read({ timezone: 'Nowhere' })).toThrow('Unknown time zone');
    expect(() => read({ since: 'today', until: 'yesterday' })).toThrow(
      'The start date today is after the end date yesterday.',
    );
  });
});

describe('session filters on the command line', () => {
  const filter = (values: Readonly<Record<string, string>>, words: readonly string[] = [], flags: string[] = []) =>
    readFilter({ positionals: [], flags: new Set(flags), values: new Map(Object.entries(values)) }, NOW, words);

  it('are fields of the search language', () => {
    expect(filter({ model: 'opus', is: 'pinned', kind: 'docs' }, ['cost>1', '-has:pr'], ['live'])).toEqual({
      model: 'opus',
      kind: 'docs',
      is: 'pinned,live',
      q: 'cost>1 -has:pr',
    });
  });

  it('are rejected with the name of their option', () => {
    expect(() => filter({ has: 'nope' })).toThrow(/^Unknown value "nope" for --has\. Valid values: commit, pr, /);
    expect(() => filter({ since: '3m' })).toThrow('Ambiguous date "3m" for --since');
    expect(() => filter({}, ['ferry'])).toThrow('Sessions are filtered by fields');
    expect(() => filter({}, ['has:nope'])).toThrow('unknown value "nope" for has. Valid values');
  });
});
