import { type RawBuilder, sql } from 'kysely';
import type { Event } from '../../../domain/event.ts';
import type { Tx } from '../../engine.ts';
import { fewLengths } from '../../sql.ts';
import { changeLineage, readLineage } from '../lineage/lineage.ts';

/** People leave a session by /clear some time after its last line; without better evidence, assume at most this long. */
const MAX_IDLE_MS = 10 * 60_000;
/** The hooks of the old and the new session are started one after the other. */
const MAX_BETWEEN_HOOKS_MS = 30_000;
/** Both hooks run in the background, so on a busy machine the second may record its time first. */
const MAX_OVERTAKING_MS = 5_000;
/** In print mode a queued /clear is executed at once. */
const MAX_QUEUED_MS = 5_000;

/** A session that was started by /clear. */
interface Cleared {
  readonly id: string;
  readonly device_id: string;
  readonly cwd: string | null;
  readonly cleared_at: string;
  readonly process_session_id: string | null;
}

/** Times at which sessions may have been left by /clear, or were started by one, by session. */
export type ClearMoments = ReadonlyMap<string, readonly string[]>;

export async function readClearMoments(tx: Tx, sessionIds: readonly string[]): Promise<ClearMoments> {
  const { rows } = await sql<{ id: string } & Record<string, string | null>>`
    SELECT s.id, s.metadata ->> 'last_line_at' AS last_line_at, s.ended_at, l.left_at, l.cleared_at
    FROM sessions s LEFT JOIN session_lineage l ON l.session_id = s.id
    WHERE s.id IN (${sql.join(fewLengths(sessionIds))})`.execute(tx);
  return new Map(rows.map(({ id, ...times }) => [id, Object.values(times).filter((time) => time !== null)]));
}

/**
 * Finds the session that /clear left: for these sessions if they were started so, and for those that may have left one
 * of them. If a link is found after its session was parsed, the session is parsed again. `former` are the moments of
 * the previous rows.
 */
export async function settleClears(tx: Tx, sessionIds: readonly string[], former: ClearMoments): Promise<void> {
  if (!(await hasClears(tx))) return;
  const now = await readClearMoments(tx, sessionIds);
  const momentsOf = (id: string) => [...new Set([...(former.get(id) ?? []), ...(now.get(id) ?? [])])];
  const around = await findClearedAround(tx, sessionIds, momentsOf);
  for (const cleared of around) await settle(tx, cleared);
}

async function hasClears(tx: Tx): Promise<boolean> {
  const { rows } = await sql`SELECT 1 AS found FROM session_lineage WHERE cleared_at IS NOT NULL LIMIT 1`.execute(tx);
  return rows.length > 0;
}

/** Does the same for these sessions only, without those that may have left them. */
export async function settleOwnClears(tx: Tx, sessionIds: readonly string[]): Promise<void> {
  const { rows } = await sql<Cleared>`${CLEARED} AND l.session_id IN (${sql.join(fewLengths(sessionIds))})`.execute(tx);
  for (const cleared of rows) await settle(tx, cleared);
}

async function settle(tx: Tx, cleared: Cleared): Promise<void> {
  const known = await readLineage(tx, cleared.id);
  await changeLineage(tx, cleared.id, known, { ...known, clearedFrom: await findLeft(tx, cleared) });
}

/** SQLite joins in the order of CROSS JOIN, so that the few lineage rows are read first. */
const CLEARED = sql`SELECT z.id, z.device_id, z.cwd, l.cleared_at, l.process_session_id, l.cleared_from
  FROM session_lineage l CROSS JOIN sessions z
  WHERE z.id = l.session_id AND l.cleared_at IS NOT NULL AND z.lifecycle <> 'archived'`;

/** Only the next session that /clear started can have left this one; a few more in case some share a time. */
const MAX_NEXT = 8;

interface PossiblyLeft {
  readonly id: string;
  readonly device_id: string;
  readonly cwd: string | null;
  readonly process: string | null;
}

/** Asks for all sessions at once, by the span of their moments, and decides for each one afterwards. */
async function findClearedAround(
  tx: Tx,
  sessionIds: readonly string[],
  momentsOf: (sessionId: string) => readonly string[],
): Promise<readonly Cleared[]> {
  const { rows: sessions } = await sql<PossiblyLeft>`
    SELECT s.id, s.device_id, s.cwd, l.process_session_id AS process
    FROM sessions s LEFT JOIN session_lineage l ON l.session_id = s.id
    WHERE s.id IN (${sql.join(fewLengths(sessionIds))})`.execute(tx);
  const times = sessionIds.flatMap(momentsOf).map((moment) => Date.parse(moment));
  const first = new Date(Math.min(...times, Date.now())).toISOString();
  const last = new Date(Math.max(...times, 0) + MAX_IDLE_MS).toISOString();
  const ids = sql.join(fewLengths(sessionIds));
  const names = sql.join(fewLengths([...new Set(sessions.flatMap(({ id, process }) => [id, process ?? id]))]));
  const folders = sql.join(fewLengths([...new Set(sessions.map(({ cwd }) => cwd ?? ''))]));
  const { rows: near } = await sql<Cleared & { readonly cleared_from: string | null }>`
    ${CLEARED} AND l.session_id IN (${ids})
    UNION ${CLEARED} AND l.cleared_from IN (${ids})
    UNION ${CLEARED} AND l.cleared_at >= ${first} AND l.cleared_at <= ${last}
      AND z.cwd IN (${folders})
    UNION ${CLEARED} AND l.process_session_id IN (${names})`.execute(tx);
  const found = sessions.flatMap((session) => clearedAround(session, momentsOf(session.id), near));
  return [...new Map(found.map((cleared) => [cleared.id, cleared])).values()];
}

/** Those that this session was started as, that are known to have left it, or that came next in its folder or process. */
function clearedAround(
  { id, device_id, cwd, process }: PossiblyLeft,
  moments: readonly string[],
  near: readonly (Cleared & { readonly cleared_from: string | null })[],
): readonly Cleared[] {
  const inOrder = near.toSorted((a, b) => (`${a.cleared_at} ${a.id}` < `${b.cleared_at} ${b.id}` ? -1 : 1));
  const inFolder = inOrder.filter((one) => cwd !== null && one.cwd === cwd && one.device_id === device_id);
  const inProcess = [...new Set([id, process])].flatMap((name) =>
    name === null ? [] : [inOrder.filter((one) => one.process_session_id === name)],
  );
  const next = (list: readonly Cleared[], ms: number) =>
    list.filter(({ cleared_at }) => Date.parse(cleared_at) >= ms).slice(0, MAX_NEXT);
  return [
    ...near.filter((one) => one.id === id || one.cleared_from === id),
    ...moments.flatMap((moment) => {
      const ms = Date.parse(moment);
      return [
        ...next(inFolder, ms).filter(({ cleared_at }) => Date.parse(cleared_at) <= ms + MAX_IDLE_MS),
        ...inProcess.flatMap((list) => next(list, ms)),
      ];
    }),
  ];
}

/**
 * Marks sessions for which a hook just reported that /clear started them or left another one: their link may have
 * changed. The report may arrive long after their rows were built.
 */
export async function markClearsReported(tx: Tx, events: readonly Event[]): Promise<void> {
  const begun = events.filter(({ type, data }) => type === 'session.start' && data['source'] === 'clear');
  const left = events.filter(({ type, data }) => type === 'session.end' && data['end_reason'] === 'clear');
  const ids = new Set(begun.map(({ session_id }) => session_id));
  for (const { device_id, timestamp } of left) {
    const starts = await tx
      .selectFrom('events')
      .select(sql<string>`data ->> 'session_id'`.as('id'))
      .where('device_id', '=', device_id)
      .where('type', '=', 'session.start')
      .where(sql<boolean>`data ->> 'source' = 'clear'`)
      .where('timestamp', '>=', earlier(timestamp, MAX_OVERTAKING_MS))
      .where('timestamp', '<=', earlier(timestamp, -MAX_BETWEEN_HOOKS_MS))
      .execute();
    for (const { id } of starts) ids.add(id);
  }
  if (ids.size === 0) return;
  await tx
    .updateTable('session_lineage')
    .set({ needs_settling: true })
    .where('session_id', 'in', [...ids])
    .where('cleared_at', 'is not', null)
    .where('needs_settling', '=', false)
    .execute();
}

/** Hooks are the best evidence, then the client's process, then the queue, and the clock last. */
async function findLeft(tx: Tx, cleared: Cleared): Promise<string | null> {
  return (
    (await leftByHooks(tx, cleared)) ??
    (await leftByProcess(tx, cleared)) ??
    (await leftByQueue(tx, cleared)) ??
    (cleared.process_session_id === null ? await leftByTime(tx, cleared) : null)
  );
}

async function leftByHooks(tx: Tx, { id, device_id }: Cleared): Promise<string | null> {
  const start = await tx
    .selectFrom('events')
    .select('timestamp')
    .where('session_id', '=', id)
    .where('type', '=', 'session.start')
    .where(sql<boolean>`data ->> 'source' = 'clear'`)
    .orderBy('timestamp')
    .limit(1)
    .executeTakeFirst();
  if (start === undefined) return null;
  const ends = await tx
    .selectFrom('events')
    .select(['timestamp', sql<string>`data ->> 'session_id'`.as('id')])
    .where('device_id', '=', device_id)
    .where('type', '=', 'session.end')
    .where(sql<boolean>`data ->> 'end_reason' = 'clear'`)
    .where(sql<boolean>`data ->> 'session_id' <> ${id}`)
    .where('timestamp', '<=', earlier(start.timestamp, -MAX_OVERTAKING_MS))
    .where('timestamp', '>=', earlier(start.timestamp, MAX_BETWEEN_HOOKS_MS))
    .orderBy('timestamp')
    .execute();
  const distance = ({ timestamp }: { timestamp: string }) =>
    Math.abs(Date.parse(timestamp) - Date.parse(start.timestamp));
  return ends.toSorted((a, b) => distance(a) - distance(b))[0]?.id ?? null;
}

/** The session of a process that was left last. */
async function leftByProcess(tx: Tx, { id, cleared_at, process_session_id }: Cleared): Promise<string | null> {
  if (process_session_id === null) return null;
  const { rows } = await sql<{ id: string }>`
    SELECT s.id FROM sessions s
    WHERE s.id <> ${id} AND s.id IN (
        SELECT session_id FROM session_lineage WHERE process_session_id = ${process_session_id}
        UNION SELECT ${process_session_id})
      AND s.metadata ->> 'last_line_at' <= ${cleared_at}
    ORDER BY s.metadata ->> 'last_line_at' DESC LIMIT 1`.execute(tx);
  return rows[0]?.id ?? null;
}

async function leftByQueue(tx: Tx, { id, device_id, cwd, cleared_at }: Cleared): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    SELECT s.id FROM sessions s JOIN session_lineage l ON l.session_id = s.id
    WHERE s.id <> ${id} AND s.device_id = ${device_id} AND s.cwd = ${cwd}
      AND l.left_at <= ${cleared_at} AND l.left_at >= ${earlier(cleared_at, MAX_QUEUED_MS)}
      AND NOT EXISTS (${clearedBetween(cleared_at, sql`l.left_at`)})
    ORDER BY l.left_at DESC LIMIT 1`.execute(tx);
  return rows[0]?.id ?? null;
}

/**
 * For clients that write no process id: the only session of the folder that an interactive client was in shortly
 * before. With two of them there is no answer.
 */
async function leftByTime(tx: Tx, { id, device_id, cwd, cleared_at }: Cleared): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    SELECT s.id FROM sessions s
    WHERE s.id <> ${id} AND s.device_id = ${device_id} AND s.cwd = ${cwd}
      AND s.metadata ->> 'entrypoint' = 'cli'
      AND s.metadata ->> 'last_line_at' <= ${cleared_at}
      AND s.metadata ->> 'last_line_at' >= ${earlier(cleared_at, MAX_IDLE_MS)}
      AND (s.end_reason IS NULL OR s.end_reason IN ('clear', 'inferred'))
      AND NOT EXISTS (${clearedBetween(cleared_at, sql`s.ended_at`)})
    ORDER BY s.metadata ->> 'last_line_at' DESC LIMIT 2`.execute(tx);
  return rows.length === 1 ? (rows[0]?.id ?? null) : null;
}

/** Another session that /clear started in the folder of `s` after it was left: that one left it. */
function clearedBetween(clearedAt: string, leftAt: RawBuilder<unknown>) {
  return sql`SELECT 1 FROM session_lineage z CROSS JOIN sessions o
    WHERE o.id = z.session_id AND o.cwd = s.cwd AND o.device_id = s.device_id AND z.cleared_at >= ${leftAt} AND z.cleared_at < ${clearedAt}`;
}

function earlier(time: string, ms: number): string {
  return new Date(Date.parse(time) - ms).toISOString();
}
