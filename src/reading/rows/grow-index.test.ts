import { expect, test } from 'vitest';
import { type ItemSpec, makeOutline, type TurnSpec } from '../../../test/support/make-outline.ts';
import { outlineSince } from '../outline-growth.ts';
import { growIndex } from './grow-index.ts';
import { indexOutline, type OutlineIndex } from './outline-index.ts';
import { createRowSources, NOTHING_REVEALED } from './row-list.ts';

/** Turns with a prompt, a call and an answer each; the last one with only this many items. */
function sessionOf(turnCount: number, lastItems = 3) {
  const turns: TurnSpec[] = Array.from({ length: turnCount }, (_, turn) => ({ ordinal: turn * 3 }));
  const items = turns.flatMap((_, turn): ItemSpec[] => [
    { kind: 'prompt', turn },
    { kind: 'run', block: 0, turn },
    { kind: 'answer', block: 0, turn },
  ]);
  const count = items.length - 3 + lastItems;
  return makeOutline({ items: items.slice(0, count), turns, revision: String(count) });
}

test.each([20, 2_000])('after %i turns, the cost of growth depends only on what is new', (turnCount) => {
  const sourceFor = createRowSources();
  const rowsOf = (index: OutlineIndex) => sourceFor(index, 2).rowsFor({ toggled: new Set(), reveal: NOTHING_REVEALED });
  let outline = sessionOf(turnCount);
  let index = indexOutline(outline);
  expect(index.itemsRead).toBe(turnCount * 3);
  expect(rowsOf(index).sectionsBuilt).toBe(turnCount + 1);
  let read = 0;
  for (let step = 1; step <= 9; step += 1) {
    const next = sessionOf(turnCount + Math.ceil(step / 3), ((step - 1) % 3) + 1);
    index = growIndex(index, outlineSince(outline, next)) as OutlineIndex;
    outline = next;
    read += index.itemsRead;
    const rows = rowsOf(index);
    // Includes the previous turn, whose end has changed.
    expect(rows.sectionsBuilt).toBeLessThanOrEqual(2);
    expect(rows.rowOf(index.columns.count - 1)).toBe(rows.count - 1);
  }
  expect(index.columns.count).toBe((turnCount + 3) * 3);
  expect(read).toBeLessThan(40);
});

test('a session that became shorter is indexed from scratch', () => {
  const long = sessionOf(20);
  const short = sessionOf(19);
  const index = growIndex(indexOutline(long), outlineSince(long, short));
  expect(index).toMatchObject({ growth: null, itemsRead: 57, turnCount: 19 });
  expect(growIndex(indexOutline(short), outlineSince(long, sessionOf(21)))).toBeNull();
});
