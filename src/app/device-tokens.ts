import { randomBytes } from 'node:crypto';
import type { Clock } from '../domain/ports.ts';
import type { Engine, Tx } from '../store/engine.ts';
import {
  addDeviceToken,
  findDeviceToken,
  lastDeviceOf,
  markTokenUsed,
  type StoredToken,
} from '../store/queries/devices/device-tokens.ts';
import { findDevice, findDeviceByName } from '../store/queries/devices/devices.ts';
import { sha256Hex } from '../lib/sha256.ts';

export { type DeviceTokenRow, listDeviceTokens, revokeDeviceToken } from '../store/queries/devices/device-tokens.ts';

/** What the door asks of the tokens of devices. */
export interface DeviceTokens {
  find(id: string): Promise<StoredToken | null>;
  /** It was used just now; written down about once a minute. */
  markUsed(id: string): Promise<void>;
}

const USE_NOTED_MS = 60_000;
const MAX_REMEMBERED = 10_000;

export function createDeviceTokens({ kysely }: Engine, clock: Clock): DeviceTokens {
  const notedMs = new Map<string, number>();
  return {
    find: (id) => findDeviceToken(kysely, id),
    markUsed: async (id) => {
      const now = clock.now();
      if (now.getTime() - (notedMs.get(id) ?? 0) < USE_NOTED_MS) return;
      if (notedMs.size >= MAX_REMEMBERED) notedMs.clear();
      notedMs.set(id, now.getTime());
      await markTokenUsed(kysely, id, now.toISOString());
    },
  };
}

const ID_BYTES = 8;
const SECRET_BYTES = 32;

export interface NewDeviceToken {
  readonly name: string;
  readonly isWriteOnly: boolean;
  /** The device it is for, by id, name or a unique beginning of either. */
  readonly device: string | undefined;
}

/** Creates a token and returns it; only its hash is stored. Errors: not_found, ambiguous, conflict. */
export async function issueDeviceToken(
  db: Tx,
  { name, isWriteOnly, device }: NewDeviceToken,
  now: Date,
): Promise<string> {
  const id = randomBytes(ID_BYTES).toString('hex');
  const token = `dev_${id}_${randomBytes(SECRET_BYTES).toString('hex')}`;
  const sha256 = sha256Hex(token);
  const deviceId = await deviceFor(db, name, device);
  await addDeviceToken(db, { id, name, sha256, isWriteOnly, deviceId }, now.toISOString());
  return token;
}

/**
 * The device that a new token is for: the one given, the one that the last token of this name belonged to, or the one
 * that has this name. Null for a device that the server does not know yet. Errors: not_found, ambiguous.
 */
async function deviceFor(db: Tx, name: string, given: string | undefined): Promise<string | null> {
  if (given !== undefined) return (await findDevice(db, given)).id;
  return (await lastDeviceOf(db, name)) ?? (await findDeviceByName(db, name));
}
