import { sql } from 'kysely';
import type { DeviceDetail, DeviceRow } from '../../../api/workspaces.ts';
import { FuelError, refuseEmpty } from '../../../domain/errors.ts';
import type { Tx } from '../../engine.ts';
import { DEVICE_NAME, fewLengths } from '../../sql.ts';
import { IS_SESSION } from '../sessions/session-conditions.ts';

export interface Device {
  readonly id: string;
  readonly name: string;
  readonly hostname: string;
  readonly os: string;
  readonly arch: string;
}

/**
 * Creates or updates a device's row. A remote device ships its files; its disk is never accessible. Returns true when
 * anything but the time changed, so that the journal records it too.
 */
export async function saveDevice(
  db: Tx,
  device: Device,
  now: string,
  type: 'local' | 'remote' = 'local',
): Promise<boolean> {
  const { id, name, hostname, os, arch } = device;
  const facts = { name, hostname, os, arch, type };
  const known = await db
    .selectFrom('devices')
    .select(['name', 'hostname', 'os', 'arch', 'type'])
    .where('id', '=', id)
    .executeTakeFirst();
  await db
    .insertInto('devices')
    .values({ id, ...facts, first_seen_at: now, last_seen_at: now })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ ...facts, last_seen_at: now }))
    .execute();
  return (Object.keys(facts) as (keyof typeof facts)[]).some((fact) => known?.[fact] !== facts[fact]);
}

/** The device that this one was merged into, or itself. */
export async function ownerDevice(db: Tx, id: string): Promise<string> {
  const row = await db.selectFrom('devices').select('merged_into').where('id', '=', id).executeTakeFirst();
  return row?.merged_into ?? id;
}

export interface SessionOwner {
  readonly deviceId: string;
  readonly workspaceId: string;
}

/** The device and workspace of a session; null for an unknown session. */
export async function loadSessionOwner(db: Tx, sessionId: string): Promise<SessionOwner | null> {
  return (await loadSessionOwners(db, [sessionId])).get(sessionId) ?? null;
}

/** The same for several sessions, without unknown ones. */
export async function loadSessionOwners(
  db: Tx,
  sessionIds: readonly string[],
): Promise<ReadonlyMap<string, SessionOwner>> {
  if (sessionIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('sessions')
    .select(['id', 'device_id as deviceId', 'workspace_id as workspaceId'])
    .where('id', 'in', fewLengths(sessionIds))
    .execute();
  return new Map(rows.map(({ id, ...owner }) => [id, owner]));
}

/** How long a device counts as online after its last contact. */
export const ONLINE_MS = 10 * 60_000;

/** The device that makes the query, which is online by definition, and the current time. */
export interface Asking {
  readonly deviceId: string;
  readonly now: Date;
}

const MAX_DEVICES = 1_000;

/** Lists all devices, most recently seen first. */
export async function listDevices(db: Tx, asking: Asking): Promise<readonly DeviceRow[]> {
  return (await selectDevices(db).execute()).map((row) => withStatus(row, asking));
}

function withStatus(row: Omit<DeviceRow, 'status'>, { deviceId, now }: Asking): DeviceRow {
  const isRecent = now.getTime() - Date.parse(row.last_seen_at) < ONLINE_MS;
  return { ...row, status: isRecent || row.id === deviceId ? 'online' : 'offline' };
}

function selectDevices(db: Tx) {
  const sessions = sql<number>`(SELECT count(*) FROM sessions s WHERE s.device_id = d.id AND ${IS_SESSION})`;
  const last = sql<string | null>`(SELECT max(s.started_at) FROM sessions s WHERE s.device_id = d.id)`;
  const seen = sql<string>`(SELECT max(m.last_seen_at) FROM devices m WHERE m.id = d.id OR m.merged_into = d.id)`;
  return db
    .selectFrom('devices as d')
    .select(['d.id', DEVICE_NAME.as('name'), 'd.type', 'd.hostname', 'd.os', 'd.arch', 'd.first_seen_at'])
    .select([seen.as('last_seen_at'), sessions.as('sessions'), last.as('last_session_at')])
    .where('d.merged_into', 'is', null)
    .orderBy('d.last_seen_at', 'desc')
    .orderBy('d.id')
    .limit(MAX_DEVICES);
}

/** A device with the workspaces it has sessions in. Errors: not_found, ambiguous. */
export async function getDeviceDetail(db: Tx, name: string, asking: Asking): Promise<DeviceDetail> {
  const { id } = await findDevice(db, name);
  const row = await selectDevices(db).where('d.id', '=', id).executeTakeFirstOrThrow();
  const merged = await db.selectFrom('devices').select('id').where('merged_into', '=', id).orderBy('id').execute();
  return {
    ...withStatus(row, asking),
    workspaces: await listDeviceWorkspaces(db, id),
    merged: merged.map((device) => device.id),
  };
}

/** Derived from the sessions, since a shipping device names its folders later, if at all. */
function listDeviceWorkspaces(db: Tx, deviceId: string) {
  return db
    .selectFrom('sessions as s')
    .innerJoin('workspaces as w', 'w.id', 's.workspace_id')
    .leftJoin('workspace_devices as wd', (join) =>
      join.onRef('wd.workspace_id', '=', 's.workspace_id').onRef('wd.device_id', '=', 's.device_id'),
    )
    .select(['w.id', 'w.display_name', 'wd.local_path'])
    .select(({ fn }) => [
      fn.count<number>('s.id').as('sessions'),
      fn.max(sql<string>`coalesce(s.ended_at, s.started_at)`).as('last_active_at'),
    ])
    .where('s.device_id', '=', deviceId)
    .groupBy(['w.id', 'w.display_name', 'wd.local_path'])
    .orderBy('last_active_at', 'desc')
    .orderBy('w.id')
    .execute();
}

type Named = Pick<DeviceRow, 'id' | 'name'>;

const MAX_CANDIDATES = 5;

interface Candidate extends Named {
  readonly hostname: string | null;
  readonly merged_into: string | null;
}
type Rule = (device: Candidate, name: string) => boolean;

const EXACT_RULES: readonly Rule[] = [({ id }, name) => id === name, (device, name) => device.name === name];

const startsWithName: Rule = ({ id, name: own }, name) => id.startsWith(name) || own.startsWith(name);

const containsName: Rule = ({ id, name: own, hostname }, name) =>
  id.startsWith(name) || [own, hostname ?? ''].some((text) => text.toLowerCase().includes(name.toLowerCase()));

/** The id of the only shipping device with exactly this name; null when there is none or several. */
export async function findDeviceByName(db: Tx, name: string): Promise<string | null> {
  const rows = await db
    .selectFrom('devices as d')
    .select('d.id')
    .where('d.type', '=', 'remote')
    .where('d.merged_into', 'is', null)
    .where(DEVICE_NAME, '=', name)
    .execute();
  return rows.length === 1 ? (rows[0]?.id ?? null) : null;
}

/** Finds a device by id, name or unique prefix. Errors: usage, not_found, ambiguous. */
export async function findDevice(db: Tx, name: string): Promise<Named> {
  refuseEmpty(name, 'device name');
  const all = await listCandidates(db);
  const found = firstMatch(all, [...EXACT_RULES, startsWithName], name);
  if (found.length > 1) {
    const shown = found.map((device) => `${device.name} (${device.id})`).slice(0, MAX_CANDIDATES);
    throw new FuelError('ambiguous', `${JSON.stringify(name)} matches several devices: ${shown.join(', ')}.`, {
      hint: 'Use the id or a longer prefix.',
    });
  }
  if (found[0] !== undefined) return found[0];
  throw notFound(name, all);
}

/** The ids of the devices that a filter names: those of exactly this name, or else all that contain it. Errors: not_found. */
export async function matchDevices(
  db: Tx,
  name: string,
  { mustExist }: { readonly mustExist: boolean },
): Promise<readonly string[]> {
  const all = await listCandidates(db);
  const found = firstMatch(all, [...EXACT_RULES, containsName], name);
  if (found.length === 0 && mustExist) throw notFound(name, all);
  return found.map(({ id }) => id);
}

function listCandidates(db: Tx): Promise<Candidate[]> {
  return db
    .selectFrom('devices as d')
    .select(['d.id', DEVICE_NAME.as('name'), 'd.hostname', 'd.merged_into'])
    .orderBy('name')
    .orderBy('d.id')
    .execute();
}

/** The first rule that matches anything decides. */
function firstMatch(all: readonly Candidate[], rules: readonly Rule[], name: string): readonly Candidate[] {
  for (const fits of rules) {
    const ids = new Set(all.filter((device) => fits(device, name)).map(({ id, merged_into }) => merged_into ?? id));
    const found = all.filter(({ id, merged_into }) => merged_into === null && ids.has(id));
    if (found.length > 0) return found;
  }
  return [];
}

function notFound(name: string, all: readonly Candidate[]): FuelError {
  const standing = all.filter((device) => device.merged_into === null);
  return new FuelError('not_found', `No device named ${JSON.stringify(name)}.`, {
    hint:
      standing.length === 0
        ? 'No device has imported anything yet.'
        : `Known devices: ${standing
            .slice(0, MAX_CANDIDATES)
            .map((device) => device.name)
            .join(', ')}.`,
  });
}
