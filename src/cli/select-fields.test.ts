import { describe, expect, test } from 'vitest';
import type { ParsedArguments } from './command.ts';
import { readFields, selectFields } from './select-fields.ts';

const args = (fields: string, ...flags: string[]): ParsedArguments => ({
  positionals: [],
  flags: new Set(flags),
  values: new Map([['fields', fields]]),
});
const row = { id: 'a', title: null, work: { commits: 2, failed_calls: 0 }, tags: ['x'], team: null };

describe('--fields', () => {
  test('keeps the named fields in their order and place', () => {
    expect(JSON.stringify(selectFields(row, ['work.commits', 'id', 'tags']))).toBe(
      '{"work":{"commits":2},"id":"a","tags":["x"]}',
    );
    expect(selectFields(row, ['team.name'])).toEqual({ team: { name: null } });
  });

  test('suggests a name for an unknown one, and lists all', () => {
    const choose = (name: string) => () => selectFields(row, [name]);
    expect(choose('titel')).toThrow('Unknown field "titel".');
    try {
      choose('work.comits')();
    } catch (error) {
      expect((error as { hint?: string }).hint).toMatch(/^Did you mean work\.commits\? Fields: id, title, work, /);
    }
    expect(choose('constructor')).toThrow('Unknown field');
    expect(choose('id.length')).toThrow('Unknown field');
  });

  test('needs a name and a format for programs', () => {
    expect(readFields(args(' id , id,title', 'ndjson'))).toEqual(['id', 'title']);
    expect(() => readFields(args(',', 'json'))).toThrow('at least one field');
    expect(() => readFields(args('id'))).toThrow('requires --json, --ndjson or --csv');
  });
});
