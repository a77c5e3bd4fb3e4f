import { sessionDeleted } from '../domain/deletion.ts';
import { deviceToJournal, type Sender } from '../domain/device.ts';
import { FuelError } from '../domain/errors.ts';
import type { ArchiveJournal } from '../domain/ports.ts';
import type { Engine } from '../store/engine.ts';
import { findDeleted } from '../store/queries/deletions/deletions.ts';
import { bindDeviceToken } from '../store/queries/devices/device-tokens.ts';
import { type Device, loadSessionOwner, ownerDevice, saveDevice } from '../store/queries/devices/devices.ts';

interface SenderDeps {
  readonly engine: Engine;
}

/**
 * E16: a device token is valid for one device: the one it was made for, or the first that used it. Errors: forbidden.
 */
export async function ensureTokenMatchesDevice(
  { engine }: SenderDeps,
  sender: Sender,
  deviceId: string,
): Promise<void> {
  if (sender === null) return;
  const bound = await engine.transaction((tx) => bindDeviceToken(tx, sender.tokenId, deviceId));
  if (bound === null) {
    throw new FuelError(
      'forbidden',
      `Device ${deviceId} is already registered, but not with the token "${sender.name}".`,
      {
        hint: `On the server, run \`fuel-code devices revoke ${sender.name}\`, then \`fuel-code devices add ${sender.name} --device ${deviceId}\`.`,
      },
    );
  }
  if (bound === deviceId || (await isSameDevice(engine, bound, deviceId))) return;
  throw new FuelError('forbidden', `The token "${sender.name}" belongs to another device.`, {
    hint: 'Run `fuel-code devices add NAME` on the server to create a token for this device.',
  });
}

async function isSameDevice({ kysely }: Engine, one: string, other: string): Promise<boolean> {
  return (await ownerDevice(kysely, one)) === (await ownerDevice(kysely, other));
}

/** Returns true when the session belongs to the device or has no owner yet. */
export async function canAddTo({ engine }: SenderDeps, deviceId: string, sessionId: string): Promise<boolean> {
  const owner = await loadSessionOwner(engine.kysely, sessionId);
  return owner === null || owner.deviceId === (await ownerDevice(engine.kysely, deviceId));
}

/** E16: allows only the owner to add to a session that was not deleted. Errors: conflict, gone. */
export async function ensureCanAddTo(deps: SenderDeps, deviceId: string, sessionId: string): Promise<void> {
  if ((await findDeleted(deps.engine.kysely, [sessionId])).size > 0) throw sessionDeleted(sessionId);
  if (await canAddTo(deps, deviceId, sessionId)) return;
  throw new FuelError('conflict', `Session ${sessionId} belongs to another device; nothing was stored.`, {
    hint: 'If both are the same machine, run `fuel-code devices merge OTHER THIS` on the server.',
  });
}

/** Stores a device's description in the database and, when it changed, in the journal. */
export async function recordDevice(
  { engine, journal }: { readonly engine: Engine; readonly journal: ArchiveJournal },
  device: Device,
  at: string,
  type: 'local' | 'remote' = 'local',
): Promise<void> {
  const hasChanged = await saveDevice(engine.kysely, device, at, type);
  if (hasChanged) await journal.append(deviceToJournal({ at, type, device }));
}
