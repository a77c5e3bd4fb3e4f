import { sql } from 'kysely';
import { FuelError } from '../../domain/errors.ts';
import type { Tx } from '../engine.ts';

export interface Device {
  readonly id: string;
  readonly name: string;
  readonly hostname: string;
  readonly os: string;
  readonly arch: string;
}

/** Makes sure that the device has its row, with the name it has today. A remote one ships; its disk is never at hand. */
export async function saveDevice(
  db: Tx,
  device: Device,
  now: string,
  type: 'local' | 'remote' = 'local',
): Promise<void> {
  await db
    .insertInto('devices')
    .values({ ...device, type, first_seen_at: now, last_seen_at: now })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({ name: device.name, hostname: device.hostname, last_seen_at: now }),
    )
    .execute();
}

/** Whose session it is, and where it belongs. Null when nobody knows it. */
export async function loadSessionOwner(
  db: Tx,
  sessionId: string,
): Promise<{ readonly deviceId: string; readonly workspaceId: string } | null> {
  const row = await db
    .selectFrom('sessions')
    .select(['device_id as deviceId', 'workspace_id as workspaceId'])
    .where('id', '=', sessionId)
    .executeTakeFirst();
  return row ?? null;
}

/** One row of the list of machines. */
export interface DeviceRow {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly hostname: string | null;
  readonly os: string | null;
  readonly arch: string | null;
  readonly status: string;
  readonly first_seen_at: string;
  readonly last_seen_at: string;
  readonly sessions: number;
  readonly last_session_at: string | null;
}

export interface DeviceDetail extends DeviceRow {
  readonly workspaces: readonly {
    readonly id: string;
    readonly display_name: string;
    readonly local_path: string | null;
    readonly last_active_at: string;
  }[];
}

const MAX_DEVICES = 1_000;

/** All machines, last seen first. */
export async function listDevices(db: Tx): Promise<readonly DeviceRow[]> {
  return selectDevices(db).execute();
}

function selectDevices(db: Tx) {
  const sessions = sql<number>`(SELECT count(*) FROM sessions s WHERE s.device_id = d.id)`;
  const last = sql<string | null>`(SELECT max(s.started_at) FROM sessions s WHERE s.device_id = d.id)`;
  return db
    .selectFrom('devices as d')
    .select(['d.id', 'd.name', 'd.type', 'd.hostname', 'd.os', 'd.arch', 'd.status', 'd.first_seen_at'])
    .select(['d.last_seen_at', sessions.as('sessions'), last.as('last_session_at')])
    .orderBy('d.last_seen_at', 'desc')
    .orderBy('d.id')
    .limit(MAX_DEVICES);
}

/** A machine with the workspaces it has. Errors: not_found, ambiguous. */
export async function getDeviceDetail(db: Tx, name: string): Promise<DeviceDetail> {
  const { id } = await findDevice(db, name);
  const row = await selectDevices(db).where('d.id', '=', id).executeTakeFirstOrThrow();
  const workspaces = await db
    .selectFrom('workspace_devices as wd')
    .innerJoin('workspaces as w', 'w.id', 'wd.workspace_id')
    .select(['w.id', 'w.display_name', 'wd.local_path', 'wd.last_active_at'])
    .where('wd.device_id', '=', id)
    .orderBy('wd.last_active_at', 'desc')
    .orderBy('w.id')
    .execute();
  return { ...row, workspaces };
}

type Named = Pick<DeviceRow, 'id' | 'name'>;

const MAX_CANDIDATES = 5;

/** From the surest to the most obliging; the first that fits anything decides. */
const RULES: readonly ((device: Named, name: string) => boolean)[] = [
  ({ id }, name) => id === name,
  (device, name) => device.name === name,
  ({ id, name: own }, name) => id.startsWith(name) || own.startsWith(name),
];

/** The machine of that id or name, or the only one that begins so. Errors: not_found, ambiguous. */
export async function findDevice(db: Tx, name: string): Promise<Named> {
  const all = await db.selectFrom('devices').select(['id', 'name']).orderBy('name').orderBy('id').execute();
  for (const fits of RULES) {
    const found = all.filter((device) => fits(device, name));
    if (found.length === 1 && found[0] !== undefined) return found[0];
    if (found.length > 1) {
      const ids = found.map((device) => `${device.name} (${device.id})`).slice(0, MAX_CANDIDATES);
      throw new FuelError('ambiguous', `Several machines fit ${JSON.stringify(name)}: ${ids.join(', ')}.`, {
        hint: 'Give the id, or more of it.',
      });
    }
  }
  throw new FuelError('not_found', `No machine goes by ${JSON.stringify(name)}.`, {
    hint:
      all.length === 0
        ? 'None has imported anything yet.'
        : `There are ${all
            .slice(0, MAX_CANDIDATES)
            .map((device) => device.name)
            .join(', ')}.`,
  });
}
