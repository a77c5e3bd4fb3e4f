import { randomBytes } from 'node:crypto';
import type { NewBrowserKey } from '../api/browser-keys.ts';
import type { Clock } from '../domain/ports.ts';
import { sha256Hex } from '../lib/sha256.ts';
import type { Engine, Tx } from '../store/engine.ts';
import { addBrowserKey, findBrowserKey, markBrowserKeyUsed } from '../store/queries/devices/browser-keys.ts';
import {
  addDeviceToken,
  findDeviceToken,
  lastDeviceOf,
  markTokenUsed,
  type StoredToken,
} from '../store/queries/devices/device-tokens.ts';
import { findDevice, findDeviceByName } from '../store/queries/devices/devices.ts';

export { type DeviceTokenRow, listDeviceTokens, revokeDeviceToken } from '../store/queries/devices/device-tokens.ts';

/** Looks up device tokens for the server. */
export interface DeviceTokens {
  find(id: string): Promise<StoredToken | null>;
  /** Records the time of use, at most once a minute. */
  markUsed(id: string): Promise<void>;
}

export function createDeviceTokens({ kysely }: Engine, clock: Clock): DeviceTokens {
  return {
    find: (id) => findDeviceToken(kysely, id),
    markUsed: createUseRecorder(clock, (id, now) => markTokenUsed(kysely, id, now)),
  };
}

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

const RECORD_USE_MS = 60_000;
const MAX_REMEMBERED = 10_000;

/** Calls `record` at most once a minute for each id. */
function createUseRecorder(clock: Clock, record: (id: string, now: string) => Promise<void>) {
  const recordedMs = new Map<string, number>();
  return async (id: string): Promise<void> => {
    const now = clock.now();
    if (now.getTime() - (recordedMs.get(id) ?? 0) < RECORD_USE_MS) return;
    if (recordedMs.size >= MAX_REMEMBERED) recordedMs.clear();
    recordedMs.set(id, now.getTime());
    await record(id, now.toISOString());
  };
}

export interface NewDeviceToken {
  readonly name: string;
  readonly isWriteOnly: boolean;
  /** The id or name of its device, or a unique prefix of either. */
  readonly device: string | undefined;
}

/** Creates a token and returns it; only its hash is stored. Errors: not_found, ambiguous, conflict. */
export async function issueDeviceToken(
  db: Tx,
  { name, isWriteOnly, device }: NewDeviceToken,
  now: Date,
): Promise<string> {
  const { id, secret, sha256 } = createSecret('dev');
  const deviceId = await deviceFor(db, name, device);
  await addDeviceToken(db, { id, name, sha256, isWriteOnly, deviceId }, now.toISOString());
  return secret;
}

/**
 * The device of a new token: the given one, the device of the last token with this name, or the device with this name.
 * Null for a device that the server does not know yet. Errors: not_found, ambiguous.
 */
async function deviceFor(db: Tx, name: string, given: string | undefined): Promise<string | null> {
  if (given !== undefined) return (await findDevice(db, given)).id;
  return (await lastDeviceOf(db, name)) ?? (await findDeviceByName(db, name));
}

/** Creates a key and returns it; only its hash is stored. */
export async function issueBrowserKey(db: Tx, name: string, now: Date): Promise<NewBrowserKey> {
  const { id, secret, sha256 } = createSecret('brw');
  await addBrowserKey(db, { id, name, sha256 }, now.toISOString());
  return { id, name, key: secret };
}

const ID_BYTES = 8;
const SECRET_BYTES = 32;

/** A secret with the id that it is looked up by, and the hash that is stored. */
function createSecret(prefix: string) {
  const id = randomBytes(ID_BYTES).toString('hex');
  const secret = `${prefix}_${id}_${randomBytes(SECRET_BYTES).toString('hex')}`;
  return { id, secret, sha256: sha256Hex(secret) };
}
