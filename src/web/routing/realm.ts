import { createContext, useContext } from 'react';
import type { ApiBase } from '../../client/client.ts';

/** Whose sessions the page shows: the user's own or the demo's. */
export interface Realm {
  readonly base: ApiBase;
  readonly isDemo: boolean;
}

export const OWN: Realm = { base: '/api', isDemo: false };
export const DEMO: Realm = { base: '/demo/api', isDemo: true };

export const RealmContext = createContext<Realm>(OWN);

export function useRealm(): Realm {
  return useContext(RealmContext);
}
