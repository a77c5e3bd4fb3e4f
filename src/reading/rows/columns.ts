import type { Outline } from '../../api/outline.ts';
import { ITEM_FLAGS, ITEM_KINDS, type ItemKind } from '../../domain/outline.ts';

/** The kinds of items as numbers, for the columns. */
export const KIND = Object.fromEntries(ITEM_KINDS.map((kind, at) => [kind, at])) as Readonly<Record<ItemKind, number>>;

/** The items of a session in typed arrays: a session of 100,000 messages takes a few megabytes. */
export interface Columns {
  readonly count: number;
  readonly ordinal: Int32Array;
  /** -1 if the item is the whole message. */
  readonly block: Int32Array;
  /** Index into `ITEM_KINDS`. */
  readonly kind: Uint8Array;
  readonly turn: Int32Array;
  /** -1 for the main conversation. */
  readonly agent: Int32Array;
  /** NaN if unknown. */
  readonly time: Float64Array;
  readonly size: Int32Array;
  readonly flags: Uint8Array;
  readonly result: Int32Array;
  /** NaN if the item is not the first of an answer, or if the answer has no price. */
  readonly cost: Float64Array;
  readonly context: Float64Array;
}

export function readColumns({ items, kinds }: Pick<Outline, 'items' | 'kinds'>): Columns {
  const known = kinds.map((kind) => KIND[kind] ?? KIND.context);
  return {
    count: items.ordinal.length,
    ordinal: integers(items.ordinal),
    block: integers(items.block),
    kind: fill(new Uint8Array(items.kind.length), items.kind, (kind) => known[kind] ?? KIND.context),
    turn: integers(items.turn),
    agent: integers(items.agent),
    time: floats(items.time),
    size: integers(items.size),
    flags: fill(new Uint8Array(items.flags.length), items.flags, (flags) => flags),
    result: integers(items.result),
    cost: floats(items.cost),
    context: floats(items.context),
  };
}

type Part = NonNullable<Outline['since']>['items'];
type Numbers = Int32Array | Uint8Array | Float64Array;

/**
 * Applies changes to columns: entries that replace others, then new ones. If there is room, this happens in place, so the
 * previous columns share the replaced entries.
 */
export function growColumns(before: Columns, answer: Pick<Outline, 'items' | 'kinds'>, part: Part): Columns {
  const { count, ...sent } = readColumns(answer);
  const grown = { ...before, count: part.kept + count - part.changed.length };
  const grow = <A extends Numbers>(column: A, fresh: A): A => {
    const all = extend(column, part.kept, grown.count);
    for (const [at, item] of part.changed.entries()) all[item] = fresh[at] as number;
    all.set(fresh.subarray(part.changed.length), part.kept);
    return all;
  };
  const names = Object.keys(sent) as (keyof typeof sent)[];
  return { ...grown, ...Object.fromEntries(names.map((name) => [name, grow<Numbers>(before[name], sent[name])])) };
}

/** Room for this many more entries than are needed, as a share. */
const SPARE = 0.5;

/** An array of another length with the same beginning; in the same memory if that is large enough. */
export function extend<A extends Numbers>(array: A, kept: number, count: number): A {
  const Kind = array.constructor as new (of: ArrayBufferLike | number, offset?: number, length?: number) => A;
  if (array.buffer.byteLength >= count * array.BYTES_PER_ELEMENT) return new Kind(array.buffer, 0, count);
  const room = new Kind(Math.ceil(count * (1 + SPARE)));
  room.set(array.subarray(0, kept));
  return room.subarray(0, count) as A;
}

function integers(values: readonly number[]): Int32Array {
  return fill(new Int32Array(values.length), values, (value) => value);
}

function floats(values: readonly (number | null)[]): Float64Array {
  return fill(new Float64Array(values.length), values, (value) => value ?? Number.NaN);
}

/** Several times as fast as `from()` of typed arrays, which walks through an iterator. */
function fill<A extends Int32Array | Uint8Array | Float64Array, V>(
  array: A,
  values: readonly V[],
  read: (value: V) => number,
): A {
  for (let at = 0; at < values.length; at += 1) array[at] = read(values[at] as V);
  return array;
}

export function hasFlag({ flags }: Columns, item: number, flag: keyof typeof ITEM_FLAGS): boolean {
  return ((flags[item] ?? 0) & ITEM_FLAGS[flag]) !== 0;
}

/** Whether an item is a call that failed or an API error. */
export function hasFailed(columns: Columns, item: number): boolean {
  return hasFlag(columns, item, 'error');
}

/** Whether an item is a call of a tool. */
export function isCall({ kind }: Columns, item: number): boolean {
  const number = kind[item] as number;
  return number >= KIND.read && number <= KIND.other_tool;
}

/** The first item at or after a position; `count` if there is none. */
export function firstItemFrom({ ordinal, count }: Columns, wanted: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ordinal[middle] as number) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The item for exactly this block of a message, or for the whole message for -1; -1 if there is none. */
export function findItem(columns: Columns, ordinal: number, block: number): number {
  for (let item = firstItemFrom(columns, ordinal); columns.ordinal[item] === ordinal; item += 1)
    if (columns.block[item] === block) return item;
  return -1;
}

/**
 * The item that shows a message or one of its blocks. A result is shown with its call; a message without an item of its
 * own, such as hidden thinking, is represented by the item before it. -1 only for an empty session.
 */
export function itemAt(columns: Columns, ordinal: number, block = -1): number {
  const first = firstItemFrom(columns, ordinal);
  if (columns.ordinal[first] !== ordinal) {
    const call = columns.result.indexOf(ordinal);
    return call >= 0 ? call : Math.min(Math.max(first - 1, 0), columns.count - 1);
  }
  const exact = findItem(columns, ordinal, block);
  return exact >= 0 ? exact : first;
}
