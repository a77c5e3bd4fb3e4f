import { describe, expect, test } from 'vitest';
import { draftOf, queryOf, settle } from './draft.ts';

/** Fields in brackets, then the text with the caret. */
function shown(marked: string, isDone = false): string {
  const [, chips = '', rest = ''] = /^((?:\[[^\]]*\])*)(.*)$/.exec(marked) ?? [];
  const fields = [...chips.matchAll(/\[([^\]]*)\]/g)].map(([, field = '']) => field);
  const text = rest.replace('|', '');
  const { draft, caret } = settle({ fields, text }, isDone ? null : rest.indexOf('|'));
  return `${draft.fields.map((field) => `[${field}]`).join('')}${draft.text.slice(0, caret)}|${draft.text.slice(caret)}`;
}

describe('a field becomes a chip', () => {
  test.each([
    ['model:opus|', 'model:opus|'],
    ['model:opus |', '[model:opus]|'],
    ['ferry model:opus |times', '[model:opus]ferry |times'],
    ['[is:live]-tag:"a b" |', '[is:live][-tag:"a b"]|'],
    ['model: |', 'model: |'],
    ['branch:"fix ag |', 'branch:"fix ag |'],
    ['[is:live]a OR |', 'is:live a OR |'],
    ['[is:live](|', 'is:live (|'],
  ])('%s', (before, after) => {
    expect(shown(before)).toBe(after);
  });

  test('all fields, when typing is done', () => {
    expect(shown('cost>5 ferry is:live|', true)).toBe('[cost>5][is:live]ferry |');
  });

  test('all fields of a search from an address', () => {
    expect(draftOf('is:live ferry "a b"')).toEqual({ fields: ['is:live'], text: 'ferry "a b"' });
    expect(draftOf('is:live OR ferry')).toEqual({ fields: [], text: 'is:live OR ferry' });
  });
});

test('a field that is still being typed is not searched for', () => {
  const draft = { fields: ['is:live'], text: 'ferry has:com times' };
  expect(queryOf(draft, 13)).toBe('is:live ferry times');
  expect(queryOf(draft, 17)).toBe('is:live ferry has:com times');
  expect(queryOf(draft, null)).toBe('is:live ferry has:com times');
});
