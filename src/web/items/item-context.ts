import { createContext, useContext } from 'react';
import type { ApiBase } from '../../client/client.ts';
import type { Marker } from './marker.ts';

/** What an item needs to know about the page around it. */
export interface ItemContext {
  readonly base: ApiBase;
  readonly sessionId: string;
  /** What to mark, from a search or from finding in the session; null for nothing. */
  readonly marked: Marker | null;
}

export const ItemContextValue = createContext<ItemContext | null>(null);

export function useItemContext(): ItemContext {
  const context = useContext(ItemContextValue);
  if (context === null) throw new Error('An item is drawn outside of a session.');
  return context;
}
