import { createContext, useContext, useState } from 'react';
import type { Marker } from './marker.ts';

/** The search that led to this row; null if none did. */
export const SoughtHere = createContext<Marker | null>(null);

export interface Unfold {
  readonly isWhole: boolean;
  readonly unfold: () => void;
}

/** Whether to show a text whole: because the reader asked for it, or because a search led to what is hidden. */
export function useUnfold(hiddenText: () => string): Unfold {
  const sought = useContext(SoughtHere);
  const [isWhole, setWhole] = useState(false);
  const [known, setKnown] = useState<Marker | null>(null);
  if (sought !== known) {
    // Wrapped, because React calls a function that is passed to a setter.
    setKnown(() => sought);
    if (!isWhole && sought !== null && sought(hiddenText()).length > 0) setWhole(true);
  }
  return { isWhole, unfold: () => setWhole(true) };
}
