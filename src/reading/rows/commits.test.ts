import { expect, test } from 'vitest';
import { makeOutline } from '../../../test/support/make-outline.ts';
import { turnsOfCommit } from './commits.ts';
import { readContextSizes } from './context-size.ts';
import { indexOutline } from './outline-index.ts';

function outlineOf(turns: readonly { readonly commits?: number; readonly lines_added?: number }[]) {
  const plain = makeOutline({
    items: turns.map((_, turn) => ({ kind: 'prompt', turn })),
    turns: turns.map((_, ordinal) => ({ ordinal })),
  });
  const commits = turns.map((turn) => turn.commits ?? 0);
  const added = turns.map((turn) => turn.lines_added ?? 0);
  return indexOutline({ ...plain, turns: { ...plain.turns, commits, lines_added: added } });
}

test('a commit holds the work since the commit before it', () => {
  const index = outlineOf([
    { lines_added: 5, commits: 1 },
    { lines_added: 3 },
    {},
    { lines_added: 1 },
    { commits: 1 },
    { lines_added: 9 },
  ]);
  expect([...turnsOfCommit(index, 4)].toSorted()).toEqual([1, 3, 4]);
  expect([...turnsOfCommit(index, 0)]).toEqual([0]);
});

test('the context at an item is that of the last answer of the main conversation', () => {
  const plain = makeOutline({
    items: [
      { kind: 'prompt', turn: 0 },
      { kind: 'answer', block: 0, turn: 0 },
      { kind: 'answer', block: 0, agent: 0 },
      { kind: 'run', block: 0, turn: 0 },
      { kind: 'answer', block: 0, turn: 0 },
    ],
    turns: [{ ordinal: 0 }],
    agents: ['a'],
  });
  const context = [null, 1_000, 70_000, null, 2_500];
  const { tokens, largest } = readContextSizes(indexOutline({ ...plain, items: { ...plain.items, context } }));
  expect([...tokens]).toEqual([1_000, 1_000, 1_000, 1_000, 2_500]);
  expect(largest).toBe(2_500);
});
