import { describe, expect, test } from 'vitest';
import type { ParsedArguments } from './command.ts';
import { readFields, selectFields, valueAt } from './select-fields.ts';

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

  test('selects within the items of lists, and prefers a whole value to its parts', () => {
    const found = {
      hits: [
        { kind: 'prompt', at: 1 },
        { kind: 'command', at: 2 },
      ],
      work: { commits: 2 },
    };
    expect(selectFields(found, ['hits.kind'])).toEqual({ hits: [{ kind: 'prompt' }, { kind: 'command' }] });
    expect(valueAt(found, 'hits.kind')).toEqual(['prompt', 'command']);
    expect(selectFields(found, ['work.commits', 'work'])).toEqual({ work: { commits: 2 } });
    expect(selectFields({ hits: [] }, ['hits.kind'])).toEqual({ hits: [] });
    expect(() => selectFields(found, ['hits.knid'])).toThrow('Unknown field "hits.knid".');
  });

  test('is null where only other rows have the field', () => {
    const mayLack = (field: string) => field === 'session' || field.startsWith('data.');
    expect(selectFields({ data: { a: 1 } }, ['data.b', 'session.id'], mayLack)).toEqual({
      data: { b: null },
      session: { id: null },
    });
    expect(() => selectFields({ data: {} }, ['sesion'], mayLack)).toThrow('Unknown field');
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

  test('requires a name', () => {
    expect(readFields(args(' id , id,title', 'ndjson'))).toEqual(['id', 'title']);
    expect(() => readFields(args(',', 'json'))).toThrow('at least one field');
  });
});
