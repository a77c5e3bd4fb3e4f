import { FuelError } from '../../../domain/errors.ts';
import type { DeviceNote } from '../../../domain/workspace-note.ts';
import type { Tx } from '../../engine.ts';
import { cutText } from '../../text.ts';
import { findDevice, ONLINE_MS, saveDevice } from './devices.ts';

/** User decisions about devices. Each returns the record for the journal. Run them in a transaction. */

const MAX_NAME_CHARS = 100;

/** Renames a device. Errors: not_found, ambiguous, usage for an empty name. */
export async function renameDevice(tx: Tx, device: string, to: string, now: string): Promise<DeviceNote> {
  const name = to.replaceAll(/\s+/g, ' ').trim();
  if (name === '') throw new FuelError('usage', 'A device cannot have an empty name.');
  const { id } = await findDevice(tx, device);
  return carryOut(tx, { at: now, what: 'device_renamed', deviceId: id, name: cutText(name, MAX_NAME_CHARS).text });
}

interface DeviceMerge {
  readonly from: string;
  readonly into: string;
  /** This machine, which keeps its own id. */
  readonly ownDeviceId: string;
}

/** Assigns everything of the first device to the second, now and later. Errors: not_found, ambiguous, usage. */
export async function mergeDevices(tx: Tx, { from, into, ownDeviceId }: DeviceMerge, now: string): Promise<DeviceNote> {
  const [source, target] = [await findDevice(tx, from), await findDevice(tx, into)];
  if (source.id === target.id) throw new FuelError('usage', 'A device cannot be merged into itself.');
  await ensureMayGo(tx, source, ownDeviceId, now);
  return carryOut(tx, { at: now, what: 'device_merged', from: source.id, into: target.id });
}

/**
 * A machine that imports into this database finds its sessions by its own id, so it cannot be merged away. Errors:
 * usage.
 */
async function ensureMayGo(
  tx: Tx,
  { id, name }: { readonly id: string; readonly name: string },
  ownDeviceId: string,
  now: string,
): Promise<void> {
  const row = await tx
    .selectFrom('devices')
    .select(['type', 'last_seen_at'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const isInUse = row.type === 'local' && Date.parse(now) - Date.parse(row.last_seen_at) < ONLINE_MS;
  if (id !== ownDeviceId && !isInUse) return;
  throw new FuelError('usage', `${name} is in use${id === ownDeviceId ? ': it is this machine' : ''}.`, {
    hint: 'Merge the other device into it instead.',
  });
}

async function carryOut(tx: Tx, note: DeviceNote): Promise<DeviceNote> {
  await applyDeviceNote(tx, note);
  return note;
}

/** Applies a journal record; idempotent. */
export async function applyDeviceNote(tx: Tx, note: DeviceNote): Promise<void> {
  if (note.what === 'device_renamed') {
    await ensureDevice(tx, note.deviceId, note.at);
    await tx.updateTable('devices').set({ custom_name: note.name }).where('id', '=', note.deviceId).execute();
    return;
  }
  for (const id of [note.from, note.into]) await ensureDevice(tx, id, note.at);
  await merge(tx, note.from, note.into);
}

/** Creates the row of a device that the database lacks; the device sends its name the next time it connects. */
export async function ensureDevice(tx: Tx, id: string, at: string): Promise<void> {
  const known = await tx.selectFrom('devices').select('id').where('id', '=', id).executeTakeFirst();
  if (known === undefined) await saveDevice(tx, { id, name: id, hostname: '', os: '', arch: '' }, at);
}

async function merge(tx: Tx, from: string, into: string): Promise<void> {
  await tx
    .updateTable('devices')
    .set({ merged_into: into })
    .where(({ or, eb }) => or([eb('id', '=', from), eb('merged_into', '=', from)]))
    .execute();
  await tx.updateTable('devices').set({ merged_into: null }).where('id', '=', into).execute();
  // Files keep their original device, which is part of their identity.
  for (const table of ['sessions', 'events', 'git_activity'] as const) {
    await tx.updateTable(table).set({ device_id: into }).where('device_id', '=', from).execute();
  }
  const rows = await tx.selectFrom('workspace_devices').selectAll().where('device_id', '=', from).execute();
  for (const row of rows) {
    await tx
      .insertInto('workspace_devices')
      .values({ ...row, device_id: into })
      .onConflict((conflict) => conflict.columns(['workspace_id', 'device_id']).doNothing())
      .execute();
  }
  await tx.deleteFrom('workspace_devices').where('device_id', '=', from).execute();
}
