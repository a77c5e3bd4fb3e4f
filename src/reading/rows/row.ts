import type { OutlineIndex } from './outline-index.ts';

/** What a list shows: only final answers, also the work between, or every item. */
export type Density = 1 | 2 | 3;

export const ROW_KINDS = ['day', 'prompt', 'strip', 'item', 'group', 'agent', 'ways', 'inherited', 'context'] as const;
/**
 * - `day`: the date of what follows.
 * - `prompt`: a prompt or command with the context added to it.
 * - `strip`: what happened in a turn; unfolds to its items.
 * - `item`: one item.
 * - `group`: consecutive calls that only read.
 * - `agent`: a sub-agent; unfolds to its conversation.
 * - `ways`: abandoned branches.
 * - `inherited`: the beginning that was copied from another session.
 * - `context`: consecutive messages that nobody typed.
 */
export type RowKind = (typeof ROW_KINDS)[number];

export const ROW = Object.fromEntries(ROW_KINDS.map((kind, at) => [kind, at])) as Readonly<Record<RowKind, number>>;

/** A row is stored as this many numbers: kind, from, to, turn, marks. */
export const ROW_NUMBERS = 5;

/** Bits of the marks; the depth is above them. */
export const MARK = { firstAnswer: 1, abandoned: 2, grouped: 4, unfolded: 8 } as const;
export const DEPTH_SHIFT = 4;

export interface Row {
  readonly kind: RowKind;
  readonly key: number;
  /** The item that it shows or, of several, the first; -1 for none. */
  readonly item: number;
  /** Positions in `order` of the items it shows. Of an agent, a branch point: its index. */
  readonly from: number;
  readonly to: number;
  /** -1 outside of turns. */
  readonly turn: number;
  /** 0 in the main conversation, 1 inside a sub-agent or an abandoned branch, and so on. */
  readonly depth: number;
  readonly isAbandoned: boolean;
  /** The first answer of its turn that is shown. */
  readonly isFirstAnswer: boolean;
  /** Inside an unfolded group. */
  readonly isGrouped: boolean;
  /** Of a strip: its steps are shown. */
  readonly isUnfolded: boolean;
}

const BLOCKS = 4_096;
const KEY_KINDS = 16;
const NO_BLOCK = -1;

function makeKey(kind: number, ordinal: number, block: number): number {
  return ((ordinal + 1) * BLOCKS + Math.min(block + 1, BLOCKS - 1)) * KEY_KINDS + kind;
}

/** The key of a row: the same in every density, and after the session has grown. */
export function rowKey({ columns, turns, order }: OutlineIndex, kind: number, from: number, turn: number) {
  switch (kind) {
    case ROW.strip:
      return makeKey(kind, turns.ordinal[turn] ?? 0, NO_BLOCK);
    case ROW.agent:
      return makeKey(kind, from, NO_BLOCK);
    case ROW.ways:
      return makeKey(kind, from, NO_BLOCK);
    case ROW.inherited:
      return makeKey(kind, 0, NO_BLOCK);
    case ROW.day:
      return makeKey(kind, columns.ordinal[from] ?? 0, columns.block[from] ?? NO_BLOCK);
    default: {
      const item = order[from] ?? 0;
      return makeKey(kind, columns.ordinal[item] ?? 0, columns.block[item] ?? NO_BLOCK);
    }
  }
}

export function agentKey(index: OutlineIndex, agent: number): number {
  return rowKey(index, ROW.agent, agent, NO_BLOCK);
}

export function waysKey(index: OutlineIndex, branch: number): number {
  return rowKey(index, ROW.ways, branch, NO_BLOCK);
}

export function stripKey(index: OutlineIndex, turn: number): number {
  return rowKey(index, ROW.strip, NO_BLOCK, turn);
}

export function itemKey(index: OutlineIndex, item: number): number {
  return rowKey(index, ROW.item, index.positions[item] ?? 0, NO_BLOCK);
}

export const INHERITED_KEY = makeKey(ROW.inherited, 0, NO_BLOCK);

/** What a key refers to, to find the section it belongs to. */
export function readKey(key: number): { readonly kind: number; readonly ordinal: number; readonly block: number } {
  const kind = key % KEY_KINDS;
  const place = Math.floor(key / KEY_KINDS);
  return { kind, ordinal: Math.floor(place / BLOCKS) - 1, block: (place % BLOCKS) - 1 };
}
