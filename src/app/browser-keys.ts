import type { NewBrowserKey } from '../api/browser-keys.ts';
import type { Clock } from '../domain/ports.ts';
import type { Engine, Tx } from '../store/engine.ts';
import { addBrowserKey, findBrowserKey, markBrowserKeyUsed } from '../store/queries/devices/browser-keys.ts';
import { createSecret, createUseRecorder } from './device-tokens.ts';

/** Looks up browser keys for the server. */
export interface BrowserKeys {
  /** The hash of the key. */
  find(id: string): Promise<string | null>;
  /** Records the time of use, at most once a minute. */
  markUsed(id: string): Promise<void>;
}

export function createBrowserKeys({ kysely }: Engine, clock: Clock): BrowserKeys {
  return {
    find: (id) => findBrowserKey(kysely, id),
    markUsed: createUseRecorder(clock, (id, now) => markBrowserKeyUsed(kysely, id, now)),
  };
}

/** Creates a key and returns it; only its hash is stored. */
export async function issueBrowserKey(db: Tx, name: string, now: Date): Promise<NewBrowserKey> {
  const { id, secret, sha256 } = createSecret('brw');
  await addBrowserKey(db, { id, name, sha256 }, now.toISOString());
  return { id, name, key: secret };
}
