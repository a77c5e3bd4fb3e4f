import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ItemSpec, makeOutline, type TurnSpec } from '../../../test/support/make-outline.ts';
import { ITEM_FLAGS, ITEM_KINDS } from '../../domain/outline.ts';
import { itemAt } from './columns.ts';
import { indexOutline, type OutlineIndex } from './outline-index.ts';
import { type Density, INHERITED_KEY, type Row } from './row.ts';
import { createRowSource, NOTHING_REVEALED, type RowList } from './row-list.ts';
import { pathTo } from './sections.ts';

const CLOSED = { toggled: new Set<number>(), reveal: NOTHING_REVEALED };

function rowsOf(list: RowList): readonly Row[] {
  return Array.from({ length: list.count }, (_, at) => list.at(at));
}

/** Rows in a few words: kind, and the position of the message or what the row refers to. */
function shown(index: OutlineIndex, list: RowList): readonly string[] {
  return rowsOf(list).map(({ kind, item, from, to, depth }) => {
    const name = kind === 'item' ? ITEM_KINDS[index.columns.kind[item] as number] : kind;
    const what = item < 0 ? from : index.columns.ordinal[item];
    const count = kind === 'group' || kind === 'context' ? `+${to - from}` : '';
    return `${'>'.repeat(depth)}${name} ${what}${count}`;
  });
}

const turn = (turn: number, ...items: readonly ItemSpec[]) => items.map((item) => ({ ...item, turn }));

const TALK = makeOutline({
  items: [
    ...turn(
      0,
      { kind: 'prompt' },
      { kind: 'context' },
      { kind: 'thinking', block: 0 },
      { kind: 'answer', block: 0 },
      { kind: 'read', block: 0 },
      { kind: 'thinking', block: 0 },
      { kind: 'read', block: 0 },
      { kind: 'run', block: 0, flags: ITEM_FLAGS.error },
      { kind: 'read', block: 0 },
      { kind: 'answer', block: 0 },
    ),
    ...turn(1, { kind: 'prompt' }, { kind: 'run', block: 0 }, { kind: 'notice' }),
  ],
  turns: [
    { ordinal: 0, answer: 9 },
    { ordinal: 10, answer: -1 },
  ],
});

test.each<readonly [Density, readonly string[]]>([
  [1, ['day 0', 'prompt 0', 'strip 0', 'answer 9', 'prompt 10', 'strip 10', 'notice 12']],
  [
    2,
    [
      'day 0',
      'prompt 0',
      'strip 0',
      'answer 3',
      'group 4+3',
      'run 7',
      'read 8',
      'answer 9',
      'prompt 10',
      'strip 10',
      'run 11',
      'notice 12',
    ],
  ],
  [
    3,
    [
      'day 0',
      'prompt 0',
      'strip 0',
      'thinking 2',
      'answer 3',
      'read 4',
      'thinking 5',
      'read 6',
      'run 7',
      'read 8',
      'answer 9',
      'prompt 10',
      'strip 10',
      'run 11',
      'notice 12',
    ],
  ],
])('density %i shows answers, then the work, then everything', (density, expected) => {
  const index = indexOutline(TALK);
  expect(shown(index, createRowSource(index, density).rowsFor(CLOSED))).toEqual(expected);
});

test('a strip unfolds its turn, and a group its calls', () => {
  const index = indexOutline(TALK);
  const source = createRowSource(index, 1);
  const strip = source.rowsFor(CLOSED).at(5);
  const open = source.rowsFor({ ...CLOSED, toggled: new Set([strip.key]) });
  expect(shown(index, open).slice(4)).toEqual(['prompt 10', 'strip 10', 'run 11', 'notice 12']);
  expect(open.sectionsBuilt).toBe(1);
  const work = createRowSource(index, 2);
  const group = work.rowsFor(CLOSED).at(4);
  const unfolded = work.rowsFor({ ...CLOSED, toggled: new Set([group.key]) });
  expect(shown(index, unfolded).slice(4, 8)).toEqual(['group 4+3', 'read 4', 'read 6', 'run 7']);
});

test('abandoned branches are folded in front of the prompt that replaced them', () => {
  const index = indexOutline(
    makeOutline({
      items: [0, 1, 2, 3].flatMap((at) => turn(at, { kind: 'prompt' }, { kind: 'answer', block: 0 })),
      turns: [
        { ordinal: 0, answer: 1 },
        { ordinal: 2, answer: 3, branch: 1, parent: 0 },
        { ordinal: 4, answer: 5, branch: 1, parent: 1 },
        { ordinal: 6, answer: 7, parent: 0 },
      ],
      branches: [{ after_ordinal: 1, turns: [1, 3], current: 3 }],
    }),
  );
  const source = createRowSource(index, 1);
  const folded = source.rowsFor(CLOSED);
  expect(shown(index, folded)).toEqual([
    'day 0',
    'prompt 0',
    'strip 0',
    'answer 1',
    'ways 0',
    'prompt 6',
    'strip 6',
    'answer 7',
  ]);
  const open = source.rowsFor({ ...CLOSED, toggled: new Set([folded.keyAt(4)]) });
  expect(shown(index, open).slice(4, 11)).toEqual([
    'ways 0',
    '>prompt 2',
    '>strip 2',
    '>answer 3',
    '>prompt 4',
    '>strip 4',
    '>answer 5',
  ]);
  expect(open.at(5).isAbandoned).toBe(true);
});

test('a copied beginning is one row until it is opened', () => {
  const flags = ITEM_FLAGS.inherited;
  const index = indexOutline(
    makeOutline({
      items: [
        { kind: 'context', flags },
        ...turn(0, { kind: 'prompt', flags }, { kind: 'answer', block: 0, flags }),
        ...turn(1, { kind: 'prompt' }),
      ],
      turns: [{ ordinal: 1, answer: 2 }, { ordinal: 3 }],
    }),
  );
  const source = createRowSource(index, 1);
  expect(shown(index, source.rowsFor(CLOSED))).toEqual(['inherited 0', 'day 3', 'prompt 3']);
  const open = source.rowsFor({ ...CLOSED, toggled: new Set([INHERITED_KEY]) });
  expect(shown(index, open)).toEqual(['inherited 0', 'day 1', 'prompt 1', 'strip 1', 'answer 2', 'prompt 3']);
  expect([source.rowsFor(CLOSED), open].map((list) => list.at(0).isUnfolded)).toEqual([false, true]);
});

test('a sub-agent replaces its call and unfolds below it; one without a call is shown where it starts', () => {
  const index = indexOutline(
    makeOutline({
      items: [
        ...turn(0, { kind: 'prompt' }, { kind: 'agent', block: 0, spawned: 0 }),
        { kind: 'prompt', agent: 0, turn: 1 },
        { kind: 'answer', block: 0, agent: 0, turn: 1 },
        { kind: 'answer', block: 0, agent: 1 },
        ...turn(0, { kind: 'answer', block: 0 }),
      ],
      turns: [
        { ordinal: 0, answer: 5 },
        { ordinal: 2, answer: 3, agent: 0 },
      ],
      agents: ['a', 'b'],
    }),
  );
  const source = createRowSource(index, 2);
  const folded = source.rowsFor(CLOSED);
  expect(shown(index, folded)).toEqual(['day 0', 'prompt 0', 'strip 0', 'agent 1', 'agent 4', 'answer 5']);
  const open = source.rowsFor({ ...CLOSED, toggled: new Set([folded.keyAt(3), folded.keyAt(4)]) });
  expect(shown(index, open).slice(3)).toEqual([
    'agent 1',
    '>prompt 2',
    '>strip 2',
    '>answer 3',
    'agent 4',
    '>answer 4',
    'answer 5',
  ]);
});

test('a new day has a heading, between turns and inside of them', () => {
  const at = (day: number) => new Date(2026, 0, day, 12).getTime();
  const index = indexOutline(
    makeOutline({
      items: [
        ...turn(0, { kind: 'prompt', time: at(1) }, { kind: 'answer', block: 0, time: at(2) }),
        ...turn(1, { kind: 'prompt', time: at(2) }),
        ...turn(2, { kind: 'prompt', time: at(4) }),
      ],
      turns: [{ ordinal: 0, answer: 1 }, { ordinal: 2 }, { ordinal: 3 }],
    }),
  );
  expect(shown(index, createRowSource(index, 1).rowsFor(CLOSED))).toEqual([
    'day 0',
    'prompt 0',
    'strip 0',
    'day 1',
    'answer 1',
    'prompt 2',
    'day 3',
    'prompt 3',
  ]);
});

test('only the last of several API errors in a row is shown with the work', () => {
  const index = indexOutline(
    makeOutline({
      items: turn(0, { kind: 'prompt' }, { kind: 'error' }, { kind: 'error' }, { kind: 'error' }),
      turns: [{ ordinal: 0 }],
    }),
  );
  for (const density of [1, 2] as const)
    expect(shown(index, createRowSource(index, density).rowsFor(CLOSED))).toEqual(['day 0', 'prompt 0', 'error 3']);
  expect(createRowSource(index, 3).rowsFor(CLOSED).count).toBe(5);
});

test('a message is found through its item, its call, or the item before it', () => {
  const { columns } = indexOutline(
    makeOutline({ items: [{ kind: 'prompt' }, { kind: 'run', ordinal: 3, block: 1, result: 5 }] }),
  );
  expect([0, 1, 3, 4, 5, 99].map((ordinal) => itemAt(columns, ordinal))).toEqual([0, 0, 1, 1, 1, 1]);
});

const anyOutline = fc
  .record({
    agents: fc.integer({ min: 0, max: 4 }),
    turns: fc.array(
      fc.record({
        agent: fc.integer({ min: -1, max: 3 }),
        branch: fc.integer({ min: 0, max: 1 }),
        parent: fc.integer({ min: -1, max: 9 }),
        gap: fc.integer({ min: 1, max: 6 }),
        answer: fc.integer({ min: -1, max: 60 }),
      }),
      { maxLength: 10 },
    ),
    items: fc.array(
      fc.record({
        kind: fc.constantFrom(...ITEM_KINDS),
        turn: fc.integer({ min: -1, max: 9 }),
        agent: fc.integer({ min: -1, max: 3 }),
        flags: fc.integer({ min: 0, max: 63 }),
        spawned: fc.integer({ min: -1, max: 3 }),
        gap: fc.integer({ min: 1, max: 3 }),
        day: fc.option(fc.integer({ min: 0, max: 3 })),
      }),
      { maxLength: 40 },
    ),
    branches: fc.array(
      fc.record({
        after_ordinal: fc.nat(60),
        turns: fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 4 }),
        current: fc.integer({ min: -1, max: 9 }),
      }),
      { maxLength: 4 },
    ),
  })
  .map(({ agents, turns, items, branches }) => {
    let ordinal = 0;
    const specs: ItemSpec[] = items.map(({ gap, day, ...item }) => ({
      ...item,
      ordinal: (ordinal += gap),
      turn: item.turn < turns.length ? item.turn : -1,
      agent: item.agent < agents ? item.agent : -1,
      spawned: item.spawned < agents ? item.spawned : -1,
      time: day === null ? null : new Date(2026, 0, 1 + day).getTime(),
    }));
    let start = 0;
    const turnSpecs: TurnSpec[] = turns.map(({ gap, ...each }, at) => ({
      ...each,
      ordinal: (start += gap),
      agent: each.agent < agents ? each.agent : -1,
      parent: each.parent < turns.length && each.parent !== at ? each.parent : -1,
    }));
    const known = branches.map((branch) => ({
      ...branch,
      turns: branch.turns.filter((each) => each < turns.length),
      current: branch.current < turns.length ? branch.current : -1,
    }));
    return indexOutline(
      makeOutline({ items: specs, turns: turnSpecs, branches: known, agents: ['a', 'b', 'c', 'd'].slice(0, agents) }),
    );
  });

/** Unfolds rows until nothing is folded any more. */
function unfoldAll(index: OutlineIndex, density: Density): RowList {
  const source = createRowSource(index, density);
  const toggled = new Set<number>();
  for (;;) {
    const list = source.rowsFor({ ...CLOSED, toggled: new Set(toggled) });
    const before = toggled.size;
    for (const { kind, key } of rowsOf(list)) if (/^(agent|ways|group)$/.test(kind)) toggled.add(key);
    const [first] = rowsOf(list);
    if (first?.kind === 'inherited' && list.count === 1) toggled.add(first.key);
    if (toggled.size === before) return list;
  }
}

function itemsIn(index: OutlineIndex, { kind, from, to, item }: Row): readonly number[] {
  if (kind === 'item') return [item];
  if (kind !== 'prompt' && kind !== 'context') return [];
  return Array.from(index.order.subarray(from, to));
}

test('with everything unfolded, each item is shown exactly once', () => {
  fc.assert(
    fc.property(anyOutline, (index) => {
      const list = unfoldAll(index, 3);
      const isFolded = list.count > 0 && list.at(0).kind === 'inherited';
      const items = rowsOf(list).flatMap((row) => itemsIn(index, row));
      expect(new Set(items).size).toBe(items.length);
      if (!isFolded) expect(items.length).toBe(index.columns.count);
    }),
    { numRuns: 500 },
  );
});

test('keys are unique in every density', () => {
  fc.assert(
    fc.property(anyOutline, fc.constantFrom<Density>(1, 2, 3), (index, density) => {
      const list = unfoldAll(index, density);
      const keys = Array.from({ length: list.count }, (_, at) => list.keyAt(at));
      expect(new Set(keys).size).toBe(keys.length);
    }),
    { numRuns: 500 },
  );
});

test('every item can be revealed in every density', () => {
  fc.assert(
    fc.property(anyOutline, fc.constantFrom<Density>(1, 2, 3), (index, density) => {
      const source = createRowSource(index, density);
      for (let item = 0; item < index.columns.count; item += 1) {
        const { open, reveal } = pathTo(index, item);
        const list = source.rowsFor({ toggled: new Set(open), reveal });
        const row = list.at(list.rowOf(item));
        expect(row.kind === 'item' || row.kind === 'prompt').toBe(true);
        expect(row.item).toBe(item);
      }
    }),
    { numRuns: 500 },
  );
});

test('a list derived from another one equals a list built from scratch', () => {
  const steps = fc.array(fc.array(fc.nat(60), { maxLength: 4 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(anyOutline, fc.constantFrom<Density>(1, 2, 3), steps, (index, density, picks) => {
      const source = createRowSource(index, density);
      let keys: readonly number[] = [];
      let list = source.rowsFor(CLOSED);
      for (const pick of picks) {
        keys = [...keys, ...pick.filter((at) => at < list.count).map((at) => list.keyAt(at))];
        const state = { ...CLOSED, toggled: new Set(keys) };
        list = source.rowsFor(state);
        expect(rowsOf(list)).toEqual(rowsOf(createRowSource(index, density).rowsFor(state)));
      }
    }),
    { numRuns: 500 },
  );
});

test('unfolding one of many turns rebuilds only its section', () => {
  const turns = Array.from({ length: 2_000 }, (_, at) => ({ ordinal: at * 3, answer: at * 3 + 2 }));
  const items = turns.flatMap((_, at) =>
    turn(at, { kind: 'prompt' }, { kind: 'run', block: 0 }, { kind: 'answer', block: 0 }),
  );
  const index = indexOutline(makeOutline({ items, turns }));
  const source = createRowSource(index, 1);
  const first = source.rowsFor(CLOSED);
  expect(first.sectionsBuilt).toBe(2_001);
  const row = first.rowOf(itemAt(index.columns, 3_001));
  const next = source.rowsFor({ ...CLOSED, toggled: new Set([first.keyAt(row)]) });
  expect([next.sectionsBuilt, next.count - first.count]).toEqual([1, 1]);
});
