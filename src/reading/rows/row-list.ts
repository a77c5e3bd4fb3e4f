import { type DayCalendar, localDays } from './days.ts';
import type { OutlineIndex } from './outline-index.ts';
import {
  DEPTH_SHIFT,
  type Density,
  INHERITED_KEY,
  MARK,
  ROW,
  ROW_KINDS,
  ROW_NUMBERS,
  type Row,
  type RowKind,
  readKey,
  rowKey,
} from './row.ts';
import { buildSection, type Reveal, type Section } from './section.ts';
import { grownSections, type Sections, sectionsOf } from './sections.ts';

/** The rows of a list. Rows become objects only when they are looked at. */
export interface RowList {
  readonly count: number;
  /** How many sections were built for this list; the others were taken from the list before it. */
  readonly sectionsBuilt: number;
  at(row: number): Row;
  keyAt(row: number): number;
  kindAt(row: number): RowKind;
  itemAt(row: number): number;
  /** The row that shows an item or, if none does, the row that hides it. -1 only in an empty list. */
  rowOf(item: number): number;
  /** -1 if no row has this key. */
  rowOfKey(key: number): number;
  /** The turn of the main conversation that a row belongs to; -1 before the first one. */
  turnAt(row: number): number;
  /** The first row of a turn of the main conversation; -1 if it has none. */
  rowOfTurn(turn: number): number;
}

export interface RowState {
  /** Keys of rows that are folded or unfolded other than the density says. */
  readonly toggled: ReadonlySet<number>;
  readonly reveal: Reveal;
}

export const NOTHING_REVEALED: Reveal = { items: new Set(), agents: new Set() };

/** Builds lists of rows; from one list to the next, only the turns that changed are built again. */
export interface RowSource {
  readonly index: OutlineIndex;
  readonly density: Density;
  rowsFor(state: RowState): RowList;
  /** The same for the index after this one; only the turns that have grown are built again. */
  grow(index: OutlineIndex): RowSource;
}

export function createRowSource(index: OutlineIndex, density: Density, days = localDays()): RowSource {
  return sourceOf({ index, density, days, sections: sectionsOf(index), built: [], last: NO_STATE });
}

const NO_STATE: RowState = { toggled: new Set(), reveal: NOTHING_REVEALED };

interface SourceOptions {
  readonly index: OutlineIndex;
  readonly density: Density;
  readonly days: DayCalendar;
  readonly sections: Sections;
  /** Sections that are built already, for this state. */
  readonly built: (Section | undefined)[];
  readonly last: RowState;
}

function sourceOf({ index, density, days, sections, built, ...options }: SourceOptions): RowSource {
  let { last } = options;
  return {
    index,
    density,
    grow: (grown) => {
      const affected = grownSections(index, sections, grown);
      if (affected === null) return createRowSource(grown, density, days);
      const kept = built.map((section, at) => (affected.changed.has(at) ? undefined : section));
      return sourceOf({ index: grown, density, days, sections: affected.sections, built: kept, last });
    },
    rowsFor: (state) => {
      for (const section of changedSections(sections, index, last, state)) built[section] = undefined;
      last = state;
      const isToggled = (key: number) => state.toggled.has(key);
      let count = 0;
      const sectionAt = (at: number) => {
        const known = built[at];
        if (known !== undefined) return known;
        count += 1;
        const section = buildSection(
          { index, density, days, isToggled, reveal: state.reveal },
          sections.turns[at] ?? -1,
        );
        built[at] = section;
        return section;
      };
      const joined = joinSections({
        time: index.columns.time,
        sections,
        sectionAt,
        days,
        isInheritedOpen: isInheritedOpen(sections, state),
      });
      return createList(index, sections, joined, count);
    },
  };
}

/** Gives the source for an index; of a session that grows, what is unchanged is taken from the source before. */
export function createRowSources(): (index: OutlineIndex, density: Density) => RowSource {
  let last: RowSource | null = null;
  return (index, density) => {
    const isSame = last?.density === density;
    if (last === null || !isSame) last = createRowSource(index, density);
    else if (last.index !== index) last = last.grow(index);
    return last;
  };
}

/** A session that consists of nothing else shows its copied beginning. */
function isInheritedOpen({ inherited, turns }: Sections, { toggled }: RowState): boolean {
  return toggled.has(INHERITED_KEY) !== (inherited === turns.length);
}

function changedSections(sections: Sections, index: OutlineIndex, last: RowState, next: RowState): Set<number> {
  const changed = new Set<number>();
  const keys = [...last.toggled, ...next.toggled].filter((key) => last.toggled.has(key) !== next.toggled.has(key));
  for (const key of keys) {
    const section = sectionOfKey(sections, index, key);
    if (section >= 0) changed.add(section);
  }
  if (last.reveal !== next.reveal)
    for (const { items } of [last.reveal, next.reveal])
      for (const item of items) changed.add(sections.sectionOfItem(item));
  return changed;
}

function sectionOfKey(sections: Sections, index: OutlineIndex, key: number): number {
  const { kind, ordinal } = readKey(key);
  if (kind === ROW.inherited) return -1;
  if (kind === ROW.agent) return sections.sectionOfAgent(ordinal);
  if (kind === ROW.ways) return sections.sectionOfTurn(index.branches[ordinal]?.current ?? -1);
  if (kind === ROW.strip) return sections.sectionOfTurn(index.turns.ordinal.indexOf(ordinal));
  return sections.sectionOfOrdinal(ordinal);
}

interface Joined {
  readonly numbers: Int32Array;
  /** Where each section starts, in rows; one more than there are sections. */
  readonly starts: Int32Array;
}

interface JoinOptions {
  readonly time: Float64Array;
  readonly sections: Sections;
  readonly sectionAt: (at: number) => Section;
  readonly days: DayCalendar;
  readonly isInheritedOpen: boolean;
}

/** Puts the sections one after another, with the date in front of the first one of a day. */
function joinSections({ time, sections, sectionAt, days, isInheritedOpen }: JoinOptions): Joined {
  const total = sections.turns.length;
  const parts: Int32Array[] = [];
  const starts = new Int32Array(total + 1);
  let rows = 0;
  let lastTime = Number.NaN;
  const add = (part: Int32Array) => {
    if (part.length === 0) return;
    parts.push(part);
    rows += part.length / ROW_NUMBERS;
  };
  if (sections.inherited > 0)
    add(Int32Array.of(ROW.inherited, 0, sections.inherited, -1, isInheritedOpen ? MARK.unfolded : 0));
  for (let at = 0; at < total; at += 1) {
    if (at > 0 || sections.inherited === 0) starts[at] = rows;
    if (at < sections.inherited && !isInheritedOpen) continue;
    const section = sectionAt(at);
    if (section.firstDated >= 0) {
      if (Number.isNaN(lastTime) || !days.isSameDay(lastTime, time[section.firstDated] as number))
        add(Int32Array.of(ROW.day, section.firstDated, 0, sections.turns[at] ?? -1, 0));
      lastTime = section.lastTime;
    }
    add(section.rows);
  }
  starts[total] = rows;
  const numbers = new Int32Array(rows * ROW_NUMBERS);
  let offset = 0;
  for (const part of parts) {
    numbers.set(part, offset);
    offset += part.length;
  }
  return { numbers, starts };
}

function createList(index: OutlineIndex, sections: Sections, { numbers, starts }: Joined, built: number): RowList {
  const read = (row: number, field: number) => numbers[row * ROW_NUMBERS + field] ?? 0;
  const keyAt = (row: number) => rowKey(index, read(row, 0), read(row, 1), read(row, 3));
  /** The same object for the same row, so that views can detect that nothing has changed. */
  const seen = new Map<number, Row>();
  const readRow = (row: number): Row => {
    const [kind, from, to, turn, marks] = [0, 1, 2, 3, 4].map((field) => read(row, field)) as Five;
    return {
      kind: ROW_KINDS[kind] ?? 'item',
      key: keyAt(row),
      item: itemOf(index, kind, from, to),
      from,
      to,
      turn,
      depth: marks >> DEPTH_SHIFT,
      isAbandoned: (marks & MARK.abandoned) !== 0,
      isFirstAnswer: (marks & MARK.firstAnswer) !== 0,
      isGrouped: (marks & MARK.grouped) !== 0,
      isUnfolded: (marks & MARK.unfolded) !== 0,
    };
  };
  const list: RowList = {
    count: numbers.length / ROW_NUMBERS,
    sectionsBuilt: built,
    keyAt,
    kindAt: (row) => ROW_KINDS[read(row, 0)] ?? 'item',
    itemAt: (row) => itemOf(index, read(row, 0), read(row, 1), read(row, 2)),
    at: (row) => {
      const known = seen.get(row) ?? readRow(row);
      seen.set(row, known);
      return known;
    },
    rowOf: (item) => {
      const section = sections.sectionOfItem(item);
      const from = starts[section] ?? 0;
      const to = starts[section + 1] ?? 0;
      const found = findIn({ read, from, to }, index, item);
      return found >= 0 ? found : Math.min(Math.max(from - (from === to ? 1 : 0), 0), list.count - 1);
    },
    rowOfKey: (key) => {
      const section = Math.max(sectionOfKey(sections, index, key), 0);
      for (let row = starts[section] ?? 0; row < (starts[section + 1] ?? 0); row += 1)
        if (keyAt(row) === key) return row;
      return -1;
    },
    turnAt: (row) => sections.turns[lastAtOrBefore(starts, row)] ?? -1,
    rowOfTurn: (turn) => {
      const section = sections.sectionOfTurn(turn);
      const row = starts[section] ?? -1;
      if (row < 0 || row >= (starts[section + 1] ?? 0)) return -1;
      return read(row, 0) === ROW.day ? row + 1 : row;
    },
  };
  return list;
}

type Five = [number, number, number, number, number];

function itemOf({ order, callOf, firstOfAgent }: OutlineIndex, kind: number, from: number, to: number): number {
  if (kind === ROW.ways || kind === ROW.inherited) return -1;
  if (kind === ROW.day) return from;
  // A turn that only cost something has no items.
  if (from === to) return -1;
  if (kind !== ROW.agent) return order[from] ?? -1;
  const call = callOf[from] ?? -1;
  return call >= 0 ? call : (firstOfAgent[from] ?? -1);
}

interface Range {
  readonly read: (row: number, field: number) => number;
  readonly from: number;
  readonly to: number;
}

/** The row for exactly this item, else one that covers it, else the strip of its turn. */
function findIn({ read, from, to }: Range, index: OutlineIndex, item: number): number {
  const position = index.positions[item] as number;
  const agents = index.startedBy.get(item) ?? [];
  let cover = -1;
  let coverRank = 0;
  for (let row = from; row < to; row += 1) {
    const kind = read(row, 0);
    if (kind === ROW.agent) {
      if (agents.includes(read(row, 1)) && coverRank < 3) [cover, coverRank] = [row, 3];
      continue;
    }
    if (kind === ROW.day || kind === ROW.ways || kind === ROW.inherited) continue;
    if (position < read(row, 1) || position >= read(row, 2)) continue;
    if (kind !== ROW.strip && read(row, 1) === position) return row;
    const rank = kind === ROW.strip ? 1 : 2;
    if (rank > coverRank) [cover, coverRank] = [row, rank];
  }
  return cover;
}

function lastAtOrBefore(starts: Int32Array, row: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] as number) <= row) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
