import { expect, test } from 'vitest';
import type { Highlight } from '../../domain/search.ts';
import { markHighlights } from './mark-highlights.ts';

test.each<[string, Highlight[], string]>([
  ['The tests pass', [[4, 9]], 'The [tests] pass'],
  [
    'The tests pass',
    [
      [0, 3],
      [10, 14],
    ],
    '[The] tests [pass]',
  ],
  ['nothing', [], 'nothing'],
  ['', [], ''],
])('%j with %j', (snippet, highlights, expected) => {
  const parts = markHighlights(snippet, highlights);
  expect(parts.map(({ text, isMarked }) => (isMarked ? `[${text}]` : text)).join('')).toBe(expected);
});
