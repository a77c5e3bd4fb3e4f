import { useCallback, useMemo, useState } from 'react';
import { itemAt } from '../../reading/rows/columns.ts';
import type { OutlineIndex } from '../../reading/rows/outline-index.ts';
import { pathTo } from '../../reading/rows/sections.ts';
import { type Density, itemKey, readKey, ROW } from '../../reading/rows/row.ts';
import { createRowSources, NOTHING_REVEALED, type RowList } from '../../reading/rows/row-list.ts';
import type { Reveal } from '../../reading/rows/section.ts';
import { preferDensity, preferredDensity, type ReaderState } from './reader-state.ts';

export interface Rows {
  /** The item to start at; -1 for the beginning, or for where the reader was before. */
  readonly startItem: number;
  readonly list: RowList;
  readonly density: Density;
  readonly setDensity: (density: Density) => void;
  readonly toggled: ReadonlySet<number>;
  readonly toggle: (key: number) => void;
  readonly open: (key: number) => void;
  /** Unfolds what hides a message, and the message itself. Returns its item; -1 in an empty session. */
  readonly reveal: (ordinal: number, block?: number) => number;
}

/** Which rows the session has now: by density, and by what is folded. */
export function useRows(index: OutlineIndex, saved: ReaderState | null, at: number | null, block?: number): Rows {
  const [startItem] = useState(() => (at === null || saved !== null ? -1 : itemAt(index.columns, at, block)));
  const [startPath] = useState(() => (startItem < 0 ? null : pathTo(index, startItem)));
  const [density, chooseDensity] = useState<Density>(() => saved?.density ?? preferredDensity());
  const [toggled, setToggled] = useState<ReadonlySet<number>>(
    () => new Set(startPath === null ? saved?.toggled : [...startPath.open, itemKey(index, startItem)]),
  );
  const [revealed, setRevealed] = useState<Reveal>(startPath?.reveal ?? NOTHING_REVEALED);
  const [sourceFor] = useState(createRowSources);
  const source = useMemo(() => sourceFor(index, density), [sourceFor, index, density]);
  const list = useMemo(() => source.rowsFor({ toggled, reveal: revealed }), [source, toggled, revealed]);
  const setDensity = useCallback((next: Density) => {
    preferDensity(next);
    chooseDensity(next);
    // Turns are folded or unfolded as the density says.
    setToggled((keys) => new Set([...keys].filter((key) => readKey(key).kind !== ROW.strip)));
  }, []);
  const toggle = useCallback((key: number) => setToggled((keys) => flipped(keys, key)), []);
  const open = useCallback((key: number) => setToggled((keys) => (keys.has(key) ? keys : new Set([...keys, key]))), []);
  const reveal = useCallback(
    (ordinal: number, block = -1) => {
      const item = itemAt(index.columns, ordinal, block);
      if (item < 0) return item;
      const path = pathTo(index, item);
      setToggled((keys) => new Set([...keys, ...path.open, itemKey(index, item)]));
      setRevealed(path.reveal);
      return item;
    },
    [index],
  );
  return { list, density, setDensity, toggled, toggle, open, reveal, startItem };
}

function flipped(keys: ReadonlySet<number>, key: number): ReadonlySet<number> {
  const next = new Set(keys);
  if (!next.delete(key)) next.add(key);
  return next;
}
