import type { Outline } from '../api/outline.ts';
import { ITEM_FLAGS } from '../domain/outline.ts';
import { FAILED } from '../domain/transcript-structure.ts';
import type { OutlineHeads } from './outline-heads.ts';

const NONE = -1;

type Items = { [K in keyof Outline['items']]: Outline['items'][K][number][] };

/** The data that the items of an outline depend on apart from messages. */
export interface ItemLookup {
  /** The index of each turn by its number in the heads, and of each agent. */
  readonly turns: readonly number[];
  readonly agents: readonly number[];
  /** By index of the turn: whether it was abandoned. */
  readonly abandoned: readonly number[];
  /** Statuses of calls that did not simply succeed, by the number of the call. */
  readonly statuses: ReadonlyMap<number, string>;
}

export interface UpdatedItems {
  /** Extended and changed in place by the next update, unless it has to start over. */
  readonly items: Outline['items'];
  /** Items changed by the last update; null if everything was read again. */
  readonly changed: readonly number[] | null;
  /** How many items were read. */
  readonly read: number;
}

/**
 * The columns of an outline. An update reads only new items and those whose call got a result or another status. It starts
 * over when earlier items move to other turns or agents, are abandoned by a rewind, or become part of a call.
 */
export class OutlineColumns {
  #items = noItems();
  #lookup: ItemLookup | null = null;

  update(heads: OutlineHeads, lookup: ItemLookup): UpdatedItems {
    const changes = heads.takeChanges();
    const claimed = heads.claimed();
    const known = this.#lookup;
    this.#lookup = claimed.size === 0 ? lookup : null;
    if (known === null || claimed.size > 0 || !isGrown(known, lookup)) return this.#readAll(heads, lookup, claimed);
    const calls = new Set([...changes.calls, ...otherStatuses(known.statuses, lookup.statuses)]);
    const old = [...calls].flatMap((call) => itemsOf(heads, call).filter((item) => item < changes.from));
    const changed: number[] = [];
    const before = this.#items.ordinal.length;
    for (const item of old) if (this.#write(heads, lookup, item, item)) changed.push(item);
    for (let item = changes.from; item < heads.count; item += 1)
      if (this.#write(heads, lookup, item, item) && item < before) changed.push(item);
    for (const column of Object.values(this.#items)) column.length = heads.count;
    const read = old.length + heads.count - changes.from;
    return { items: this.#items, changed: changed.toSorted((a, b) => a - b), read };
  }

  #readAll(heads: OutlineHeads, lookup: ItemLookup, claimed: ReadonlySet<number>): UpdatedItems {
    this.#items = noItems();
    for (let item = 0; item < heads.count; item += 1)
      if (!claimed.has(item)) this.#write(heads, lookup, item, this.#items.ordinal.length);
    return { items: this.#items, changed: null, read: heads.count };
  }

  /** Writes an item to its place; true if another one was there. */
  #write(heads: OutlineHeads, lookup: ItemLookup, item: number, at: number): boolean {
    const values = readItem(heads, lookup, item);
    let isOther = false;
    for (const name of NAMES) {
      const column = this.#items[name];
      if (column[at] === values[name]) continue;
      isOther = true;
      (column as (number | null)[])[at] = values[name];
    }
    return isOther;
  }
}

const noItems = (): Items => ({
  ordinal: [],
  block: [],
  kind: [],
  turn: [],
  agent: [],
  time: [],
  size: [],
  flags: [],
  result: [],
  cost: [],
  context: [],
});
const NAMES = Object.keys(noItems()) as (keyof Items)[];

/** Whether the facts about earlier items are still valid. */
function isGrown(before: ItemLookup, now: ItemLookup): boolean {
  return (['turns', 'agents', 'abandoned'] as const).every((name) => beginsWith(now[name], before[name]));
}

function beginsWith(list: readonly number[], beginning: readonly number[]): boolean {
  return list.length >= beginning.length && beginning.every((value, at) => list[at] === value);
}

function otherStatuses(before: ReadonlyMap<number, string>, now: ReadonlyMap<number, string>): readonly number[] {
  const ended = [...before.keys()].filter((call) => !now.has(call));
  return [...ended, ...[...now].flatMap(([call, status]) => (before.get(call) === status ? [] : [call]))];
}

/** The items of a call, the last one first. */
function itemsOf({ lastItemOf, columns }: OutlineHeads, call: number): readonly number[] {
  const items: number[] = [];
  for (let item = lastItemOf[call] ?? NONE; item !== NONE; item = columns.sameCall[item] as number) items.push(item);
  return items;
}

function readItem({ columns, results, lastResult }: OutlineHeads, lookup: ItemLookup, item: number) {
  const call = columns.call[item] as number;
  const result = results[lastResult[call] ?? NONE];
  const turn = lookup.turns[columns.turn[item] as number] ?? NONE;
  const ofCall = call === NONE ? 0 : callFlags(result?.flags, lookup.statuses.get(call));
  return {
    ordinal: columns.ordinal[item] as number,
    block: columns.block[item] as number,
    kind: columns.kind[item] as number,
    turn,
    agent: lookup.agents[columns.agent[item] as number] ?? NONE,
    time: columns.time[item] ?? null,
    size: (columns.size[item] as number) + (result?.bytes ?? 0),
    flags: (columns.flags[item] as number) | ofCall | (lookup.abandoned[turn] === 1 ? ITEM_FLAGS.abandoned : 0),
    result: result?.ordinal ?? NONE,
    cost: columns.cost[item] ?? null,
    context: columns.context[item] ?? null,
  };
}

function callFlags(result: number | undefined, status: string | undefined): number {
  const state = status ?? (result === undefined ? 'pending' : 'ok');
  const isError = state === FAILED || (state === 'ok' && ((result ?? 0) & ITEM_FLAGS.error) !== 0);
  return (
    ((result ?? 0) & ITEM_FLAGS.hasImage) |
    (isError ? ITEM_FLAGS.error : 0) |
    (state === 'denied' ? ITEM_FLAGS.denied : 0) |
    (state === 'pending' || state === 'interrupted' ? ITEM_FLAGS.unfinished : 0)
  );
}
