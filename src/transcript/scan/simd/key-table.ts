/** Keys to look for in an object: a name for the value, and the keys of the object that is the value. */
export interface KeyTable<Slot extends string> {
  readonly [key: string]: Slot | { readonly slot: Slot; readonly table: KeyTable<Slot> };
}

export interface KeyEntry<Slot extends string> {
  readonly key: string;
  readonly slot: Slot;
  readonly table: KeyTable<Slot> | null;
}

export function entriesOf<Slot extends string>(table: KeyTable<Slot>): readonly KeyEntry<Slot>[] {
  return Object.keys(table).map((key) => {
    const wanted = table[key] as KeyTable<Slot>[string];
    return typeof wanted === 'string' ? { key, slot: wanted, table: null } : { key, ...wanted };
  });
}

/** All tables in it, each once, those inside before those around. */
export function tablesOf<Slot extends string>(root: KeyTable<Slot>): readonly KeyTable<Slot>[] {
  const inner = entriesOf(root).flatMap(({ table }) => (table === null ? [] : tablesOf(table)));
  return [...new Set([...inner, root])];
}

/** Where the start of each value is noted in the engine's slots; its end stands behind it. */
export function slotPlaces<Slot extends string>(root: KeyTable<Slot>): Readonly<Record<string, number>> {
  const slots = new Set(tablesOf(root).flatMap((table) => entriesOf(table).map(({ slot }) => slot)));
  return Object.fromEntries([...slots].map((slot, index) => [slot, 2 * index]));
}
