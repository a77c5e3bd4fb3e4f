import { createContext, useContext } from 'react';
import type { ApiBase } from '../../client/client.ts';
import type { Marker } from './marker.ts';

/** What an item needs to know about the page around it. */
export interface ItemContext {
  readonly base: ApiBase;
  readonly sessionId: string;
  /** Text to highlight, from a search or the find bar; null for none. */
  readonly marked: Marker | null;
  /** From this message on, a call without a result is still running; null if the session has ended. */
  readonly runningFrom: number | null;
}

export const ItemContextValue = createContext<ItemContext | null>(null);

export function useItemContext(): ItemContext {
  const context = useContext(ItemContextValue);
  if (context === null) throw new Error('An item is drawn outside of a session.');
  return context;
}
