import { expect, test } from 'vitest';
import { markWords } from './mark-words.ts';

const marked = (snippet: string, search: string) =>
  markWords(snippet, search)
    .map(({ text, isMarked }) => (isMarked ? `[${text}]` : text))
    .join('');

test.each([
  ['The tests pass', 'tests PASS', 'The [tests] [pass]'],
  ['a.b (c) [d]', 'a.b [d]', '[a.b] (c) [[d]]'],
  ['nothing', '', 'nothing'],
  ['nothing', '( " )', 'nothing'],
  ['日本の星', '星', '日本の[星]'],
  ['a', '\\', 'a'],
])('%j searched for %j', (snippet, search, expected) => {
  expect(marked(snippet, search)).toBe(expected);
});
