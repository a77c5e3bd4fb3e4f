import { FuelError } from '../../../domain/errors.ts';
import type { Tx } from '../../engine.ts';

/** The stored form of a device token; the token itself is not stored. */
export interface StoredToken {
  readonly id: string;
  readonly sha256: string;
  readonly name: string;
  readonly isWriteOnly: boolean;
  readonly isRevoked: boolean;
}

interface NewToken {
  readonly id: string;
  readonly name: string;
  readonly sha256: string;
  readonly isWriteOnly: boolean;
  /** The device it is for, if the server knows it; otherwise the first new device that uses it. */
  readonly deviceId?: string | null;
}

/** Adds a token. Errors: usage when the name already has one. */
export async function addDeviceToken(
  db: Tx,
  { isWriteOnly, deviceId = null, ...token }: NewToken,
  now: string,
): Promise<void> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('device_tokens')
    .values({ ...token, device_id: deviceId, is_write_only: isWriteOnly, created_at: now })
    .onConflict((conflict) => conflict.column('name').where('revoked_at', 'is', null).doNothing())
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows > 0n) return;
  throw new FuelError('usage', `A token for ${JSON.stringify(token.name)} already exists.`, {
    hint: `It is only shown once. To create another one, first run \`fuel-code devices revoke ${token.name}\`.`,
  });
}

export async function findDeviceToken(db: Tx, id: string): Promise<StoredToken | null> {
  const row = await db
    .selectFrom('device_tokens')
    .select(['id', 'name', 'sha256', 'is_write_only', 'revoked_at'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { name, sha256, is_write_only, revoked_at } = row;
  return { id, name, sha256, isWriteOnly: Boolean(is_write_only), isRevoked: revoked_at !== null };
}

export async function markTokenUsed(db: Tx, id: string, now: string): Promise<void> {
  await db.updateTable('device_tokens').set({ last_used_at: now }).where('id', '=', id).execute();
}

/** Marks a token from before tokens belonged to devices; it may still be bound to a known device. */
const UNBOUND_BEFORE = '';

/**
 * Returns the device a token belongs to. An unbound token is bound to this device if the server does not know the
 * device yet. Null when it does: a fresh token must not take over an existing device.
 */
export async function bindDeviceToken(tx: Tx, id: string, deviceId: string): Promise<string | null> {
  const token = await tx.selectFrom('device_tokens').select('device_id').where('id', '=', id).executeTakeFirst();
  const bound = token?.device_id ?? null;
  if (bound !== null && bound !== UNBOUND_BEFORE) return bound;
  if (await isTaken(tx, deviceId, bound === UNBOUND_BEFORE)) return null;
  await tx
    .updateTable('device_tokens')
    .set({ device_id: deviceId })
    .where('id', '=', id)
    .where(({ or, eb }) => or([eb('device_id', 'is', null), eb('device_id', '=', UNBOUND_BEFORE)]))
    .execute();
  const now = await tx.selectFrom('device_tokens').select('device_id').where('id', '=', id).executeTakeFirst();
  return now?.device_id ?? null;
}

async function isTaken(tx: Tx, deviceId: string, mayBeKnown: boolean): Promise<boolean> {
  const known = await tx.selectFrom('devices').select('id').where('id', '=', deviceId).executeTakeFirst();
  const other = await tx
    .selectFrom('device_tokens')
    .select('id')
    .where('device_id', '=', deviceId)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return other !== undefined || (known !== undefined && !mayBeKnown);
}

export async function readBoundDevice(db: Tx, id: string): Promise<string | null> {
  const row = await db.selectFrom('device_tokens').select('device_id').where('id', '=', id).executeTakeFirst();
  return row?.device_id || null;
}

/** The device that the newest token of this name was bound to. */
export async function lastDeviceOf(db: Tx, name: string): Promise<string | null> {
  const row = await db
    .selectFrom('device_tokens')
    .select('device_id')
    .where('name', '=', name)
    .where('device_id', 'is not', null)
    .where('device_id', '<>', UNBOUND_BEFORE)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.device_id ?? null;
}

/** Revokes a token. Errors: not_found when the name has no token. */
export async function revokeDeviceToken(db: Tx, name: string, now: string): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('device_tokens')
    .set({ revoked_at: now })
    .where('name', '=', name)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) return;
  throw new FuelError('not_found', `No token named ${JSON.stringify(name)}.`, {
    hint: '`fuel-code devices tokens` lists them.',
  });
}

export interface DeviceTokenRow {
  readonly name: string;
  readonly may: 'read and write' | 'write';
  /** The device it belongs to; null until it is first used. */
  readonly device: string | null;
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly revoked_at: string | null;
}

/** Valid tokens first, then the newest. */
export async function listDeviceTokens(db: Tx): Promise<readonly DeviceTokenRow[]> {
  const rows = await db
    .selectFrom('device_tokens')
    .select(['name', 'is_write_only', 'device_id', 'created_at', 'last_used_at', 'revoked_at'])
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute();
  return rows
    .map(
      ({ is_write_only, device_id, ...row }): DeviceTokenRow => ({
        ...row,
        may: is_write_only ? 'write' : 'read and write',
        device: device_id || null,
      }),
    )
    .toSorted((a, b) => Number(a.revoked_at !== null) - Number(b.revoked_at !== null));
}
