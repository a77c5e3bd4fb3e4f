import { type ExpressionBuilder, type RawBuilder, sql } from 'kysely';
import type { EventPage, EventsQuery, StoredEvent } from '../../../api/activity.ts';
import { type Event, isScriptType, NO_SESSION } from '../../../domain/event.ts';
import type { JsonValue } from '../../../domain/transcript.ts';
import type { Tx } from '../../engine.ts';
import type { Database } from '../../rows.ts';
import { cutPage, decodePosition, fewLengths, isBeyond } from '../../sql.ts';
import { cleanJson, cleanText, readJson } from '../../text.ts';
import { findDeleted, removeReopened } from '../deletions/deletions.ts';
import { markClearsReported } from '../sessions/clears.ts';
import { applyReports, createReportedSessions, type ReportedWorkspaces } from '../sessions/session-reports.ts';
import type { Route } from '../shipping/shipments.ts';
import { saveMergedWorkspace } from '../workspaces/workspaces.ts';

const NO_PLACES: ReportedWorkspaces = new Map();

/**
 * Stores new events and returns their number. A start creates its session; other events of an unknown session wait for
 * it. E16: an event never changes a session of another device. Events of deleted sessions are dropped.
 */
export async function insertEvents(
  tx: Tx,
  given: readonly Event[],
  now: string,
  places: ReportedWorkspaces = NO_PLACES,
): Promise<number> {
  const deleted = await findDeleted(
    tx,
    given.map(({ session_id }) => session_id),
  );
  const events = given.filter(({ session_id }) => !deleted.has(session_id));
  if (events.length === 0) return 0;
  const created = await createReportedSessions(tx, events, places, now);
  if (created.length > 0 && (await findDeleted(tx, created)).size > 0) {
    await removeReopened(tx);
    return insertEvents(tx, events, now, places);
  }
  await linkEvents(tx, created);
  const inserted = await insertAll(tx, events, now);
  if (inserted > 0) {
    await applyReports(tx, startsAndEnds(events), now);
    await markClearsReported(tx, events);
  }
  return inserted;
}

function startsAndEnds(events: readonly Event[]): readonly string[] {
  const isOne = ({ type }: Event) => type === 'session.start' || type === 'session.end';
  return events.filter(isOne).map(({ session_id }) => session_id);
}

async function insertAll(tx: Tx, events: readonly Event[], now: string): Promise<number> {
  const workspaces = await saveEventWorkspaces(tx, events, now);
  const result = await tx
    .insertInto('events')
    .values((eb) =>
      events.map((event) => ({
        id: event.id,
        type: cleanText(event.type),
        timestamp: event.timestamp,
        device_id: event.device_id,
        session_id: ownSession(eb, event).select('sessions.id'),
        workspace_id: sql<
          string | null
        >`coalesce(${ownSession(eb, event).select('sessions.workspace_id')}, ${workspaces.get(event.id) ?? null})`,
        data: cleanJson(event.session_id === NO_SESSION ? event.data : { ...event.data, session_id: event.session_id }),
        ingested_at: now,
        is_emitted: isScriptType(event.type),
      })),
    )
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirst();
  return Number(result.numInsertedOrUpdatedRows ?? 0);
}

/** The workspaces of events without a session, by event. */
async function saveEventWorkspaces(
  tx: Tx,
  events: readonly Event[],
  now: string,
): Promise<ReadonlyMap<string, string>> {
  const saved = new Map<string, string>();
  for (const { id, workspace } of events) {
    if (workspace === undefined) continue;
    const identity = { canonicalId: workspace.canonical_id, displayName: workspace.display_name };
    saved.set(id, await saveMergedWorkspace(tx, identity, now));
  }
  return saved;
}

/** The session that an event names, if it belongs to the device of the event. */
function ownSession(eb: Pick<ExpressionBuilder<Database, never>, 'selectFrom'>, event: Event) {
  return eb
    .selectFrom('sessions')
    .where('sessions.id', '=', event.session_id)
    .where('sessions.device_id', '=', ownerOf(sql.val(event.device_id)));
}

/** The device that a device was merged into, or itself. */
function ownerOf(deviceId: RawBuilder<unknown>) {
  return sql<string>`coalesce((SELECT d.merged_into FROM devices d WHERE d.id = ${deviceId}), ${deviceId})`;
}

/** Links events that arrived before their session's row; without ids, for all sessions. */
export async function linkEvents(tx: Tx, sessionIds?: readonly string[]): Promise<number> {
  if (sessionIds?.length === 0) return 0;
  const named = sql<string>`(events.data ->> 'session_id')`;
  const { numUpdatedRows } = await tx
    .updateTable('events')
    .set({
      session_id: named,
      workspace_id: ({ selectFrom }) =>
        selectFrom('sessions').select('sessions.workspace_id').where('sessions.id', '=', named),
    })
    .where('session_id', 'is', null)
    .$if(sessionIds !== undefined, (query) => query.where(named, 'in', [...(sessionIds ?? [])]))
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('sessions')
          .select('sessions.id')
          .where('sessions.id', '=', named)
          .where('sessions.device_id', '=', ownerOf(sql.ref('events.device_id'))),
      ),
    )
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Returns which of these sessions have events. */
export async function findReported(tx: Tx, sessionIds: readonly string[]): Promise<readonly string[]> {
  const rows = await tx
    .selectFrom('events')
    .select('session_id as id')
    .distinct()
    .where('session_id', 'in', fewLengths(sessionIds))
    .execute();
  return rows.flatMap(({ id }) => id ?? []);
}

/** Moves the events of a session to its workspace. */
export async function placeEvents(tx: Tx, sessionId: string, workspaceId: string): Promise<void> {
  await tx
    .updateTable('events')
    .set({ workspace_id: workspaceId })
    .where('session_id', '=', sessionId)
    .where('workspace_id', 'is distinct from', workspaceId)
    .execute();
}

/** Returns which of these events are already stored. */
export async function findStoredEvents(db: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db.selectFrom('events').select('id').where('id', 'in', ids).execute();
  return new Set(rows.map(({ id }) => id));
}

export async function hasEvents(db: Tx): Promise<boolean> {
  return (await db.selectFrom('events').select('id').limit(1).executeTakeFirst()) !== undefined;
}

export async function listEventIds(db: Tx): Promise<readonly string[]> {
  return (await db.selectFrom('events').select('id').orderBy('id').execute()).map(({ id }) => id);
}

/** Loads events with the time they were accepted. */
export async function loadAcceptedEvents(
  db: Tx,
  ids: readonly string[],
): Promise<readonly { readonly event: Event; readonly at: string }[]> {
  const rows = await selectWithWorkspace(db)
    .select('e.ingested_at as at')
    .where('e.id', 'in', ids)
    .orderBy('e.ingested_at')
    .orderBy('e.id')
    .execute();
  return rows.map(({ at, ...row }) => {
    const { session_id, data, ...event } = acceptedEvent(row);
    return { at, event: { ...event, session_id, data: session_id === NO_SESSION ? data : { ...data, session_id } } };
  });
}

/** Events with the workspace of those that have no session. */
function selectWithWorkspace(db: Tx) {
  return db
    .selectFrom('events as e')
    .leftJoin('workspaces as w', (join) =>
      join.onRef('w.id', '=', 'e.workspace_id').on(sql<boolean>`e.is_emitted AND e.session_id IS NULL`),
    )
    .select(['e.id', 'e.type', 'e.timestamp', 'e.device_id', 'e.data', 'w.canonical_id', 'w.display_name']);
}

interface EventRow extends Pick<Event, 'id' | 'type' | 'timestamp' | 'device_id'> {
  readonly data: string;
  readonly canonical_id?: string | null;
  readonly display_name?: string | null;
}

/** An event as it was reported. */
function acceptedEvent({ data: json, canonical_id, display_name, ...row }: EventRow): Event {
  const { session_id: named, ...data } = readJson<Event['data']>(json);
  const workspace =
    canonical_id && named === undefined ? { workspace: { canonical_id, display_name: display_name ?? '' } } : {};
  return { ...row, session_id: typeof named === 'string' ? named : NO_SESSION, ...workspace, data };
}

/** Finds events of this device that the server lacks, oldest first. */
export async function findEventsToShip(db: Tx, { server, deviceId }: Route, limit: number): Promise<readonly Event[]> {
  const rows = await selectWithWorkspace(db)
    .where('e.device_id', '=', deviceId)
    .where('e.shipped_to', 'is distinct from', server)
    .where('e.shipping_refusal', 'is', null)
    .orderBy('e.id')
    .limit(limit)
    .execute();
  return rows.map(acceptedEvent);
}

const ORDER = { at: sql.ref('timestamp'), id: sql.ref('id') };

/**
 * The events of a session by their machine's clock, one page at a time. Errors: usage for a cursor that is not
 * ours.
 */
export async function pageEvents(
  db: Tx,
  sessionId: string,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string },
): Promise<EventPage> {
  const rows = await selectEvents(db, sessionId)
    .$if(cursor !== undefined, (select) => select.where(isBeyond(ORDER, decodePosition(cursor ?? ''), 'up')))
    .limit(limit + 1)
    .execute();
  const { page, next } = cutPage(rows.map(toEvent), limit, ({ timestamp, id }) => ({ at: timestamp, id }));
  return { events: page, next_cursor: next };
}

function selectEvents(db: Tx, sessionId: string) {
  return selectAllEvents(db).where('session_id', '=', sessionId).orderBy('timestamp').orderBy('id');
}

/** An event as the API returns it. */
export const EVENT_COLUMNS = [
  'id',
  'type',
  'timestamp',
  'device_id',
  'session_id',
  'workspace_id',
  'data',
  'ingested_at',
] as const;

function selectAllEvents(db: Tx) {
  return db.selectFrom('events').select(EVENT_COLUMNS);
}

/** Events of all sessions, newest first, one page at a time. Errors: usage for a cursor that is not ours. */
export async function listAllEvents(db: Tx, query: EventsQuery): Promise<EventPage> {
  const { type, session_id, emitted, workspace_id, device_id, after, before, cursor, limit } = query;
  const rows = await selectAllEvents(db)
    .$if(type !== undefined, (select) => select.where('type', '=', type ?? ''))
    .$if(session_id !== undefined, (select) => select.where('session_id', '=', session_id ?? ''))
    .$if(emitted === true, (select) => select.where(sql<boolean>`is_emitted`))
    .$if(workspace_id !== undefined, (select) => select.where('workspace_id', '=', workspace_id ?? ''))
    .$if(device_id !== undefined, (select) => select.where('device_id', '=', device_id ?? ''))
    .$if(after !== undefined, (select) => select.where('timestamp', '>=', after ?? ''))
    .$if(before !== undefined, (select) => select.where('timestamp', '<', before ?? ''))
    .$if(cursor !== undefined, (select) => select.where(isBeyond(ORDER, decodePosition(cursor ?? ''), 'down')))
    .orderBy('timestamp', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute();
  const { page, next } = cutPage(rows.map(toEvent), limit, ({ timestamp, id }) => ({ at: timestamp, id }));
  return { events: page, next_cursor: next };
}

/** A row of `selectAllEvents` as the API returns it. */
export function toEvent(row: Awaited<ReturnType<ReturnType<typeof selectEvents>['execute']>>[number]): StoredEvent {
  return {
    ...row,
    data: readJson<Readonly<Record<string, JsonValue>>>(row.data),
  };
}

/**
 * Creates sessions that only hooks have reported and applies events to all others, after events were restored from a
 * journal or another database.
 */
export async function restoreReportedSessions(tx: Tx, now: string): Promise<void> {
  const rows = await tx
    .selectFrom('events')
    .select(['id', 'type', 'timestamp', 'device_id', 'data'])
    .where('type', 'in', ['session.start', 'session.end'])
    .orderBy('timestamp')
    .execute();
  const events = rows.map(acceptedEvent);
  await createReportedSessions(
    tx,
    events.filter(({ session_id }) => session_id !== NO_SESSION),
    NO_PLACES,
    now,
  );
  await linkEvents(tx);
  await applyReports(tx, startsAndEnds(events), now);
}
