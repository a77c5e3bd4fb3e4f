import { expect, test } from 'vitest';
import { isFilter, plainQuery } from './plain-query.ts';

test.each([
  ['ferry times', 'ferry times'],
  ['tool:Bash "off by one"', 'tool:Bash "off by one"'],
  ['Error: no such file', '"Error:" no such file'],
  ["TypeError: x is undefined (reading 'map')", `"TypeError:" x is undefined "(reading" "'map')"`],
  ['ENOENT: open "a b', '"ENOENT:" open a b'],
  ['at src/a.ts:12:3 -> x', 'at "src/a.ts:12:3" x'],
  ['this OR that', 'this "OR" that'],
  ['--- *** ---', ''],
])('%s', (text, query) => {
  expect(plainQuery(text)).toBe(query);
});

test('a filter has fields only', () => {
  expect(['is:live', 'is:live cost>5', '-tag:a'].every(isFilter)).toBe(true);
  expect(['', 'ferry', 'is:', 'is:live ferry'].some(isFilter)).toBe(false);
});
