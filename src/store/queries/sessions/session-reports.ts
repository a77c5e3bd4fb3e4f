import { sql } from 'kysely';
import type { Event } from '../../../domain/event.ts';
import { BACKFILL, endTimes, type LastReport, type Liveness, startSource } from '../../../domain/session.ts';
import type { JsonObject } from '../../../domain/transcript.ts';
import { UNASSOCIATED } from '../../../domain/workspace.ts';
import type { Tx } from '../../engine.ts';
import { cleanTextOrNull, cleanTime, indexKey, readJson } from '../../text.ts';
import { ownerDevice } from '../devices/devices.ts';
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
  const sources = starts.map(({ data }) => startSource(readJson<JsonObject>(data).source));
  const source = sources.find((one) => one !== null) ?? BACKFILL;
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

/** The last start or end that hooks reported for a session, by its machine's clock. */
export async function readLastReport(db: Tx, sessionId: string): Promise<LastReport | null> {
  const row = await db
    .selectFrom('events')
    .select(['type', 'timestamp', 'data'])
    .where('session_id', '=', sessionId)
    .where('type', 'in', ['session.start', 'session.end'])
    .orderBy('timestamp', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { end_reason } = readJson<{ readonly end_reason?: unknown }>(row.data);
  return {
    kind: row.type === 'session.end' ? 'end' : 'start',
    atMs: Date.parse(row.timestamp),
    endReason: typeof end_reason === 'string' ? end_reason : null,
  };
}

interface UnsettledSession {
  readonly id: string;
  /** Time of the last write to its files; of its start while it has none. */
  readonly lastWriteMs: number;
  /** Time of the last line with a timestamp. */
  readonly lastLineAt: string | null;
  readonly lastLineMs: number | null;
}

/**
 * Sessions that may have ended, or ended differently than recorded: those that count as live although all their bytes
 * are parsed, those without bytes, and those with new hook reports.
 */
export async function findUnsettledSessions(db: Tx): Promise<readonly UnsettledSession[]> {
  const rows = await db
    .selectFrom('sessions as s')
    .leftJoin('source_files as f', 'f.session_id', 's.id')
    .select(['s.id', 's.metadata', 's.started_at', 's.captured_version'])
    .select(({ fn }) => fn.max<number | null>('f.seen_mtime_ms').as('lastWriteMs'))
    .whereRef('s.captured_version', '=', 's.parsed_version')
    .where(({ or, eb, and, exists, selectFrom }) =>
      or([
        eb('s.lifecycle', '=', 'detected'),
        and([eb('s.parse_status', '=', 'completed'), eb('s.lifecycle', '=', 'capturing')]),
        and([
          eb('s.parse_status', '=', 'completed'),
          exists(
            selectFrom('events as e')
              .select('e.id')
              .whereRef('e.session_id', '=', 's.id')
              .where('e.type', 'in', ['session.start', 'session.end'])
              .whereRef('e.ingested_at', '>=', 's.updated_at'),
          ),
        ]),
      ]),
    )
    .groupBy('s.id')
    .execute();
  return rows.map(({ id, metadata, started_at, captured_version, lastWriteMs }) => {
    const { last_line_at } = readJson<{ readonly last_line_at?: string | null }>(metadata);
    const startMs = captured_version === 0 ? Date.parse(started_at) : 0;
    const lastLineAt = cleanTime(last_line_at ?? null);
    const lastLineMs = lastLineAt === null ? null : Date.parse(lastLineAt);
    return { id, lastWriteMs: lastWriteMs ?? startMs, lastLineAt, lastLineMs };
  });
}

export interface SessionEnd extends Pick<Liveness, 'endReason' | 'endedAtMs'> {
  readonly endReason: string;
  readonly lastLineAt: string | null;
}

/** Marks a session as ended, with time and reason; it is parsed to its last byte or has none. */
export async function settleSession(
  db: Tx,
  id: string,
  { endReason, endedAtMs, lastLineAt }: SessionEnd,
  now: string,
): Promise<void> {
  const known = await db
    .selectFrom('sessions')
    .select(['ended_at', 'duration_ms'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (known === undefined) return;
  const { endedAt, afterLastLineMs } = endTimes(lastLineAt, endedAtMs);
  const addedBefore = endTimes(lastLineAt, known.ended_at === null ? null : Date.parse(known.ended_at)).afterLastLineMs;
  await db
    .updateTable('sessions')
    .set({
      lifecycle: sql`CASE lifecycle WHEN 'capturing' THEN 'parsed' WHEN 'detected' THEN 'ended' ELSE lifecycle END`,
      // Without a transcript there was no request.
      content: sql`CASE WHEN captured_version = 0 THEN 'unprompted' ELSE content END`,
      // The narrative of a live session is rewritten, and its repositories are read once more.
      rows_version: sql`CASE WHEN lifecycle = 'capturing' THEN rows_version + 1 ELSE rows_version END`,
      end_reason: endReason,
      ended_at: endedAt ?? sql<string | null>`CASE WHEN captured_version = 0 THEN started_at END`,
      duration_ms: known.duration_ms === null ? null : Math.max(0, known.duration_ms - addedBefore + afterLastLineMs),
      updated_at: now,
    })
    .where('id', '=', id)
    .where(({ or, eb }) => or([eb('parse_status', '=', 'completed'), eb('captured_version', '=', 0)]))
    .whereRef('captured_version', '=', 'parsed_version')
    .execute();
}
