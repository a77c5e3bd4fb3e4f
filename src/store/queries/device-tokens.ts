import { FuelError } from '../../domain/errors.ts';
import type { Tx } from '../engine.ts';

/** What is kept of a device's token; the token itself is not. */
export interface StoredToken {
  readonly id: string;
  readonly sha256: string;
  readonly isWriteOnly: boolean;
  readonly isRevoked: boolean;
}

export interface NewToken {
  readonly id: string;
  readonly name: string;
  readonly sha256: string;
  readonly isWriteOnly: boolean;
}

/** Errors: usage when that name has a token already. */
export async function addDeviceToken(db: Tx, { isWriteOnly, ...token }: NewToken, now: string): Promise<void> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('device_tokens')
    .values({ ...token, is_write_only: isWriteOnly, created_at: now })
    .onConflict((conflict) => conflict.column('name').where('revoked_at', 'is', null).doNothing())
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows > 0n) return;
  throw new FuelError('usage', `There is a token for ${JSON.stringify(token.name)} already.`, {
    hint: `It was shown once. For another one, first run \`fuel-code devices revoke ${token.name}\`.`,
  });
}

export async function findDeviceToken(db: Tx, id: string): Promise<StoredToken | null> {
  const row = await db
    .selectFrom('device_tokens')
    .select(['id', 'sha256', 'is_write_only', 'revoked_at'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { sha256, is_write_only, revoked_at } = row;
  return { id, sha256, isWriteOnly: Boolean(is_write_only), isRevoked: revoked_at !== null };
}

export async function markTokenUsed(db: Tx, id: string, now: string): Promise<void> {
  await db.updateTable('device_tokens').set({ last_used_at: now }).where('id', '=', id).execute();
}

/** Errors: not_found when that name has no token. */
export async function revokeDeviceToken(db: Tx, name: string, now: string): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('device_tokens')
    .set({ revoked_at: now })
    .where('name', '=', name)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) return;
  throw new FuelError('not_found', `No device has a token under the name ${JSON.stringify(name)}.`, {
    hint: '`fuel-code devices tokens` lists them.',
  });
}

export interface DeviceTokenRow {
  readonly name: string;
  readonly may: 'read and write' | 'write';
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly revoked_at: string | null;
}

/** Those that are valid first, then the newest. */
export async function listDeviceTokens(db: Tx): Promise<readonly DeviceTokenRow[]> {
  const rows = await db
    .selectFrom('device_tokens')
    .select(['name', 'is_write_only', 'created_at', 'last_used_at', 'revoked_at'])
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute();
  return rows
    .map(({ is_write_only, ...row }): DeviceTokenRow => ({ ...row, may: is_write_only ? 'write' : 'read and write' }))
    .toSorted((a, b) => Number(a.revoked_at !== null) - Number(b.revoked_at !== null));
}
