import { createContext, useContext } from 'react';
import type { OutlineIndex } from '../../reading/rows/outline-index.ts';
import type { Density } from '../../reading/rows/row.ts';
import type { ItemContext } from '../items/item-context.ts';
import type { Entries } from './entries.ts';
import type { Landed } from './landing.ts';

/** State shared by the rows of a session. */
export interface Reader {
  readonly index: OutlineIndex;
  readonly entries: Entries;
  readonly density: Density;
  readonly toggled: ReadonlySet<number>;
  readonly toggle: (key: number) => void;
  /** The row that a search led to: what hides the match there is unfolded. */
  readonly landed: Landed | null;
  readonly context: ItemContext;
  /** Session that the beginning was copied from; null if it is not known. */
  readonly copiedFrom: string | null;
}

export const ReaderContext = createContext<Reader | null>(null);

export function useReader(): Reader {
  const reader = useContext(ReaderContext);
  if (reader === null) throw new Error('A row is drawn outside of a session.');
  return reader;
}
