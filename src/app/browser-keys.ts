import { randomBytes } from 'node:crypto';
import type { NewBrowserKey } from '../api/browser-keys.ts';
import type { Clock } from '../domain/ports.ts';
import { sha256Hex } from '../lib/sha256.ts';
import type { Engine, Tx } from '../store/engine.ts';
import { addBrowserKey, findBrowserKey, markBrowserKeyUsed } from '../store/queries/devices/browser-keys.ts';
import { createUseRecorder } from './device-tokens.ts';

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

const ID_BYTES = 8;
const SECRET_BYTES = 32;

/** Creates a key and returns it; only its hash is stored. */
export async function issueBrowserKey(db: Tx, name: string, now: Date): Promise<NewBrowserKey> {
  const id = randomBytes(ID_BYTES).toString('hex');
  const key = `brw_${id}_${randomBytes(SECRET_BYTES).toString('hex')}`;
  await addBrowserKey(db, { id, name, sha256: sha256Hex(key) }, now.toISOString());
  return { id, name, key };
}
