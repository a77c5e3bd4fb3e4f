import type { Event } from '../../../domain/event.ts';
import { BACKFILL, startSource } from '../../../domain/session.ts';
import type { JsonObject } from '../../../domain/transcript.ts';
import { UNASSOCIATED } from '../../../domain/workspace.ts';
import type { Tx } from '../../engine.ts';
import { cleanTextOrNull, indexKey, readJson } from '../../text.ts';
import { ownerDevice } from '../devices/devices.ts';
import { readLastReport } from './session-life.ts';
import { saveWorkspace } from '../workspaces/workspaces.ts';

/** Workspaces of sessions whose folders are on this machine, by session id. */
export type ReportedWorkspaces = ReadonlyMap<string, string>;

/** A start reported by a hook creates its session before any byte is archived. Returns the ids of new sessions. */
export async function createReportedSessions(
  tx: Tx,
  events: readonly Event[],
  places: ReportedWorkspaces,
  now: string,
): Promise<readonly string[]> {
  const created: string[] = [];
  for (const event of events.filter(({ type }) => type === 'session.start')) {
    if (await hasSession(tx, event.session_id)) continue;
    created.push(event.session_id);
    const { model, cwd, source } = event.data;
    await tx
      .insertInto('sessions')
      .values({
        id: event.session_id,
        workspace_id: places.get(event.session_id) ?? (await findKnownWorkspace(tx, event, now)),
        device_id: await ownerDevice(tx, event.device_id),
        lifecycle: 'detected',
        parse_status: 'pending',
        started_at: event.timestamp,
        source: startSource(source) ?? BACKFILL,
        cwd: typeof cwd === 'string' ? cleanTextOrNull(cwd) : null,
        model: typeof model === 'string' ? cleanTextOrNull(model) : null,
        created_at: now,
        updated_at: now,
      })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute();
  }
  return created;
}

async function hasSession(tx: Tx, id: string): Promise<boolean> {
  return (await tx.selectFrom('sessions').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
}

/** The workspace of the folder, if the device has reported it before. */
async function findKnownWorkspace(tx: Tx, { device_id, data: { cwd } }: Event, now: string): Promise<string> {
  const row =
    typeof cwd !== 'string'
      ? undefined
      : await tx
          .selectFrom('workspace_folders')
          .select('workspace_id')
          .where('device_id', '=', device_id)
          .where('path_key', '=', indexKey(cwd))
          .executeTakeFirst();
  return row?.workspace_id ?? saveWorkspace(tx, UNASSOCIATED, now);
}

/**
 * Applies reported starts and ends in any order of arrival: how each session started, and whether one without bytes
 * ended.
 */
export async function applyReports(tx: Tx, sessionIds: Iterable<string>, now: string): Promise<void> {
  for (const id of new Set(sessionIds)) {
    await refreshSource(tx, id);
    await endWithoutBytes(tx, id, now);
  }
}

/**
 * The first start with a source determines how the session started, in any order of arrival; `backfill` when no report
 * has one.
 */
export async function refreshSource(tx: Tx, sessionId: string): Promise<void> {
  const starts = await tx
    .selectFrom('events')
    .select('data')
    .where('session_id', '=', sessionId)
    .where('type', '=', 'session.start')
    .orderBy('timestamp')
    .orderBy('id')
    .execute();
  if (starts.length === 0) return;
  const told = starts.map(({ data }) => startSource(readJson<JsonObject>(data).source));
  const source = told.find((one) => one !== null) ?? BACKFILL;
  await tx
    .updateTable('sessions')
    .set({ source })
    .where('id', '=', sessionId)
    .where('source', 'is distinct from', source)
    .execute();
}

/** A client that was started and left without a prompt writes no transcript: the hooks are the only source. */
async function endWithoutBytes(tx: Tx, sessionId: string, now: string): Promise<void> {
  const row = await tx
    .selectFrom('sessions')
    .select(['started_at', 'lifecycle'])
    .where('id', '=', sessionId)
    .where('captured_version', '=', 0)
    .executeTakeFirst();
  const last = row === undefined ? null : await readLastReport(tx, sessionId);
  if (row === undefined || last?.kind !== 'end') return;
  const ended_at = new Date(last.atMs).toISOString();
  const end_reason = last.endReason ?? 'other';
  await tx
    .updateTable('sessions')
    .set({
      lifecycle: 'ended',
      content: 'unprompted',
      ended_at,
      end_reason,
      duration_ms: Math.max(0, last.atMs - Date.parse(row.started_at)),
      updated_at: now,
    })
    .where('id', '=', sessionId)
    .where('captured_version', '=', 0)
    // Applying the same end again must not count as a change.
    .where(({ or, eb }) =>
      or([
        eb('lifecycle', '<>', 'ended'),
        eb('content', '<>', 'unprompted'),
        eb('ended_at', 'is distinct from', ended_at),
        eb('end_reason', 'is distinct from', end_reason),
      ]),
    )
    .execute();
}
