import { expect, test } from 'vitest';
import { makeOutline } from '../../../test/support/make-outline.ts';
import { commitName, commitsByTurn, turnsOfCommit } from './commits.ts';
import { contextAt } from './context-size.ts';
import { buildMinimap, commitDots, placesOn } from './minimap.ts';
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

test('a commit contains the work since the commit before it', () => {
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

test('a commit of a sub-agent belongs to the turn that started it, one of an abandoned branch to the turn before', () => {
  const commit = (sha: string, turn: number, ordinal: number) => ({
    sha,
    message: `Do ${sha}`,
    time: 0,
    turn,
    ordinal,
  });
  const index = indexOutline(
    makeOutline({
      items: [
        { kind: 'prompt', turn: 0 },
        { kind: 'agent', block: 0, turn: 0, spawned: 0 },
        { kind: 'prompt', turn: 1, agent: 0 },
        { kind: 'run', block: 0, turn: 1, agent: 0 },
        { kind: 'prompt', turn: 2 },
        { kind: 'run', block: 0, turn: 2 },
        { kind: 'prompt', turn: 3 },
        { kind: 'answer', block: 0, turn: 3 },
      ],
      turns: [
        { ordinal: 0 },
        { ordinal: 2, agent: 0 },
        { ordinal: 4, branch: 1, parent: 0 },
        { ordinal: 6, parent: 0 },
      ],
      agents: ['a'],
      branches: [{ after_ordinal: 1, turns: [2, 3], current: 3 }],
      commits: [commit('abcdef0123', 1, 3), commit('b', 2, 5), commit('c', 3, 7), commit('d', -1, -1)],
    }),
  );
  const byTurn = [...commitsByTurn(index)].map(([turn, commits]) => [turn, commits.map(commitName)]);
  expect(byTurn).toEqual([
    [0, ['abcdef0 Do abcdef0123', 'b Do b']],
    [3, ['c Do c']],
  ]);
  const map = buildMinimap(index);
  const dots = commitDots(index, map, placesOn(map, index.columns.count));
  // The main conversation has four items of one size: prompt, agent, prompt, answer.
  expect(dots.map(({ share, commits }) => [share, commits.map(({ sha }) => sha)])).toEqual([
    [0.25, ['abcdef0123']],
    [0, ['b']],
    [0.75, ['c']],
  ]);
});

test('a commit without hash and message has a name all the same', () => {
  expect(commitName({ sha: null, message: null })).toBe('without output');
  expect(commitName({ sha: null, message: 'Quiet' })).toBe('Quiet');
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
  const index = indexOutline({ ...plain, items: { ...plain.items, context } });
  expect(context.map((_, item) => contextAt(index, item))).toEqual([1_000, 1_000, 1_000, 1_000, 2_500]);
  expect(index.fullest).toBe(2_500);
});
