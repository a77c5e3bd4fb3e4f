import { expect, test } from 'vitest';
import { windowOf } from './model-window.ts';

test.each([
  ['claude-opus-4-5-20251101', 135_000, 200_000],
  ['claude-fable-5', 300_000, 1_000_000],
  // More than fits: the long-context beta, whose size the transcript does not state.
  ['claude-sonnet-4-20250514', 534_859, null],
  ['claude-unknown-9', 10, null],
  ['<synthetic>', 10, null],
  [null, 10, null],
])('the window of %s with %d tokens in it is %d', (model, tokens, window) => {
  expect(windowOf(model, tokens)).toBe(window);
});
