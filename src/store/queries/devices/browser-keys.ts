import { FuelError } from '../../../domain/errors.ts';
import type { Tx } from '../../engine.ts';

interface NewKey {
  readonly id: string;
  readonly name: string;
  readonly sha256: string;
}

export async function addBrowserKey(db: Tx, key: NewKey, now: string): Promise<void> {
  await db
    .insertInto('browser_keys')
    .values({ ...key, created_at: now, last_used_at: now })
    .execute();
}

/** The hash of a key; null for one that never existed or was revoked. */
export async function findBrowserKey(db: Tx, id: string): Promise<string | null> {
  const row = await db.selectFrom('browser_keys').select('sha256').where('id', '=', id).executeTakeFirst();
  return row?.sha256 ?? null;
}

export async function markBrowserKeyUsed(db: Tx, id: string, now: string): Promise<void> {
  await db.updateTable('browser_keys').set({ last_used_at: now }).where('id', '=', id).execute();
}

export interface BrowserKeyRow {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
}

/** The most recently used first. */
export async function listBrowserKeys(db: Tx): Promise<readonly BrowserKeyRow[]> {
  return db
    .selectFrom('browser_keys')
    .select(['id', 'name', 'created_at', 'last_used_at'])
    .orderBy('last_used_at', 'desc')
    .orderBy('id')
    .execute();
}

/** Errors: not_found. */
export async function removeBrowserKey(db: Tx, id: string): Promise<void> {
  const { numDeletedRows } = await db.deleteFrom('browser_keys').where('id', '=', id).executeTakeFirst();
  if (numDeletedRows > 0n) return;
  throw new FuelError('not_found', `No browser key with the id ${JSON.stringify(id)}.`, {
    hint: '`fuel-code devices browsers` lists them.',
  });
}
