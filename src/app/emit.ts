import { createHash } from 'node:crypto';
import { readDevice } from '../capture/device.ts';
import { openSpool } from '../capture/spool/spool.ts';
import type { Config } from '../config.ts';
import { sessionDeleted } from '../domain/deletion.ts';
import { FuelError, toFuelError } from '../domain/errors.ts';
import { type Event, SCRIPT_EVENT_FIELD } from '../domain/event.ts';
import type { Clock } from '../domain/ports.ts';
import { canAddTo } from '../ingest/device.ts';
import { nextUlid, UUID_PATTERN, ulid } from '../lib/ids.ts';
import { isUnavailable } from '../pipeline/claimed-session.ts';
import { findDeleted } from '../store/queries/deletions/deletions.ts';
import { findStoredEvents } from '../store/queries/events/events.ts';
import { findFolderWorkspace } from './find-folder-workspace.ts';
import type { App } from './open-app.ts';

/** An event that a script wants to record. */
export interface EmitRequest {
  readonly type: string;
  readonly at: Date;
  /** A session by id or unique prefix. */
  readonly session: string | null;
  /** A workspace by name or id; without it and a session, that of `folder` if it is known. */
  readonly workspace: string | null;
  readonly folder: string;
  /** Of several events with the same key, this machine stores the first. */
  readonly key: string | null;
  readonly data: Event['data'];
}

export interface Emitted extends Omit<Event, 'device_id' | 'session_id' | 'workspace'> {
  readonly session_id: string | null;
  readonly workspace: string | null;
  /** `queued`: the database cannot be reached or is busy; the next import stores the event. */
  readonly status: 'stored' | 'duplicate' | 'queued';
  /** Whether the configured server has it; null without a server. */
  readonly is_shipped: boolean | null;
}

interface EmitDeps {
  readonly config: Config;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  openApp(): Promise<App>;
}

/**
 * Records an event through the spool, as hooks do, so that it is not lost while the database is unavailable. Errors:
 * not_found and ambiguous for the session or workspace; gone and conflict for the session; those of openApp except an
 * unavailable database.
 */
export async function emitEvent(deps: EmitDeps, request: EmitRequest): Promise<Emitted> {
  const app = await openOrNull(deps);
  if (app === null) return queue(deps, request);
  await using _ = app;
  const { session_id, workspace } = await placeOf(app, request);
  const event = toWire(request, { session_id, workspace, deviceId: app.device.id, now: deps.clock.now() });
  const shown = { ...event, session_id, workspace: workspace?.display_name ?? null };
  const isStored = async () => (await findStoredEvents(app.store.engine.kysely, [event.id])).has(event.id);
  if (await isStored()) return { ...shown, status: 'duplicate', is_shipped: null };
  openSpool(deps.config.home, deps.clock).add({ [SCRIPT_EVENT_FIELD]: event });
  try {
    await app.drainHooks();
  } catch (error) {
    if (!isUnavailable(error)) throw error;
  }
  if (!(await isStored())) return { ...shown, status: 'queued', is_shipped: null };
  return { ...shown, status: 'stored', is_shipped: await shipNow(app, deps) };
}

async function openOrNull({ openApp }: EmitDeps): Promise<App | null> {
  try {
    return await openApp();
  } catch (error) {
    if (isUnavailable(error)) return null;
    throw error;
  }
}

/** Without the database, only events that need no look-up can be recorded. Errors: store_unavailable. */
function queue({ config, clock }: EmitDeps, request: EmitRequest): Emitted {
  if (request.workspace !== null || (request.session !== null && !isFullId(request.session))) {
    throw new FuelError('store_unavailable', 'The database cannot be reached to look up the session or workspace.', {
      hint: 'Pass the full session id, or try again later.',
    });
  }
  const session_id = request.session;
  const deviceId = readDevice(config.home)?.id ?? '';
  const event = toWire(request, { session_id, deviceId, now: clock.now() });
  openSpool(config.home, clock).add({ [SCRIPT_EVENT_FIELD]: event });
  return { ...event, session_id, workspace: null, status: 'queued', is_shipped: null };
}

function isFullId(id: string): boolean {
  return new RegExp(`^${UUID_PATTERN}$`).test(id);
}

interface Place {
  readonly session_id: string | null;
  readonly workspace?: Event['workspace'];
}

async function placeOf(app: App, { session, workspace, folder }: EmitRequest): Promise<Place> {
  if (session !== null) return { session_id: await findOwnSession(app, session) };
  if (workspace !== null) {
    const found = await app.get('/workspaces/:workspace_id', { params: { workspace_id: workspace } });
    return { session_id: null, workspace: found };
  }
  const { id } = await findFolderWorkspace(app.get, { folder, deviceId: app.device.id });
  if (id === null) return { session_id: null };
  return { session_id: null, workspace: await app.get('/workspaces/:workspace_id', { params: { workspace_id: id } }) };
}

/** A full id may belong to a session that is not imported yet; its events wait for it. */
async function findOwnSession(app: App, name: string): Promise<string> {
  const { engine } = app.store;
  if ((await findDeleted(engine.kysely, [name])).size > 0) throw sessionDeleted(name);
  const id = await app.get('/sessions/:id', { params: { id: name } }).then(
    (session) => session.id,
    (error: unknown) => {
      if (toFuelError(error).code === 'not_found' && isFullId(name)) return name;
      throw error;
    },
  );
  if (await canAddTo({ engine }, app.device.id, id)) return id;
  throw new FuelError('conflict', `Session ${id} belongs to another device; nothing was stored.`, {
    hint: 'Record the event on that device, or without --session.',
  });
}

interface WireContext extends Place {
  readonly deviceId: string;
  readonly now: Date;
}

function toWire({ type, at, key, data }: EmitRequest, { session_id, workspace, deviceId, now }: WireContext) {
  const id = key === null ? nextUlid(now) : keyedId(deviceId, key);
  const named = workspace && { canonical_id: workspace.canonical_id, display_name: workspace.display_name };
  return { id, type, timestamp: at.toISOString(), session_id, ...(named && { workspace: named }), data };
}

/** The same for every event with this key, whenever it is recorded. */
function keyedId(deviceId: string, key: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([deviceId, key]))
    .digest();
  return ulid(new Date(0), digest);
}

const SHIP_MS = 5_000;

/** Sends events immediately if the server responds soon; otherwise the worker does it later. */
async function shipNow(app: App, { signal }: EmitDeps): Promise<boolean | null> {
  if (app.config.serverUrl === null) return null;
  const report = await app.ship(AbortSignal.any([signal, AbortSignal.timeout(SHIP_MS)]), { onlyEvents: true });
  return report !== null && report.paused === null && report.events > 0;
}
