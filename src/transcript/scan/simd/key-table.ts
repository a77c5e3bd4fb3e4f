/** What is wanted of an object's keys: a place in the engine's slots, and what kind of value it is. */
export interface Wanted {
  readonly slot: string;
  readonly kind: 'place' | 'count' | 'flag' | 'object' | 'word' | 'time' | 'text';
  /** Words that the scan tells apart, numbered from 1. */
  readonly words?: readonly string[];
  /** The keys of the object that is the value. */
  readonly table?: KeyTable;
}

export interface KeyTable {
  readonly [key: string]: Wanted;
}

export const place = (slot: string, table: KeyTable): Wanted => ({ slot, kind: 'place', table });
export const count = (slot: string): Wanted => ({ slot, kind: 'count' });
export const flag = (slot: string): Wanted => ({ slot, kind: 'flag' });
export const object = (slot: string): Wanted => ({ slot, kind: 'object' });
export const word = (slot: string, ...words: readonly string[]): Wanted => ({ slot, kind: 'word', words });
export const time = (slot: string): Wanted => ({ slot, kind: 'time' });
export const text = (slot: string): Wanted => ({ slot, kind: 'text' });

/** All tables in it, each once, those inside before those around. */
export function tablesOf(root: KeyTable): readonly KeyTable[] {
  const inner = Object.values(root).flatMap(({ table }) => (table === undefined ? [] : tablesOf(table)));
  return [...new Set([...inner, root])];
}

/** Every wanted slot once, in the order of their numbers. */
export function slotsOf(root: KeyTable): readonly Wanted[] {
  const wanted = tablesOf(root).flatMap((table) => Object.values(table));
  return [...new Map(wanted.map((each) => [each.slot, each])).values()];
}

/** Where the start of each value is noted in the engine's slots, and its meaning in the values; the rest behind it. */
export function slotPlaces(root: KeyTable): Readonly<Record<string, number>> {
  return Object.fromEntries(slotsOf(root).map(({ slot }, index) => [slot, 2 * index]));
}
