import { sql, type UpdateObject } from 'kysely';
import type { Claim } from '../../../domain/pipeline.ts';
import { type Lifecycle, type ParseStatus, QUIET_MS, TRANSITIONS } from '../../../domain/session.ts';
import type { Tx } from '../../engine.ts';
import type { Database } from '../../rows.ts';
import { fewLengths, inParts } from '../../sql.ts';

export interface SessionSeed {
  readonly id: string;
  readonly workspaceId: string;
  readonly deviceId: string;
  readonly startedAt: string;
  readonly source: string | null;
}

/** Every state that may change to `to`: the guard of a transition. */
function statesBefore(to: Lifecycle): Lifecycle[] {
  return (Object.keys(TRANSITIONS) as Lifecycle[]).filter((from) =>
    (TRANSITIONS[from] as readonly Lifecycle[]).includes(to),
  );
}

/** The files of a session that were archived together. */
export interface NewBytes {
  readonly files: number;
  readonly lastWriteMs: number;
}

/** Bytes that the client wrote long ago, as in a first import, do not make a session live. */
function reopenedAs({ lastWriteMs }: NewBytes, now: string): Lifecycle {
  return Date.parse(now) - lastWriteMs <= QUIET_MS ? 'capturing' : 'ended';
}

function reopen(lifecycle: Lifecycle, files: number, now: string) {
  return {
    lifecycle: sql<string>`CASE WHEN sessions.lifecycle IN ('detected', 'capturing') THEN 'capturing' ELSE ${lifecycle} END`,
    parse_status: 'pending',
    captured_version: sql<number>`sessions.captured_version + ${files}`,
    attempts: 0,
    next_try_at_ms: 0,
    updated_at: now,
  };
}

/**
 * New bytes of a session are archived: creates its row or re-opens it from any state. Rows parsed from earlier bytes
 * stay readable until the new ones replace them.
 */
export async function markBytesCaptured(tx: Tx, seed: SessionSeed, bytes: NewBytes, now: string): Promise<void> {
  const lifecycle = reopenedAs(bytes, now);
  await tx
    .insertInto('sessions')
    .values({
      id: seed.id,
      workspace_id: seed.workspaceId,
      device_id: seed.deviceId,
      lifecycle,
      parse_status: 'pending',
      started_at: seed.startedAt,
      source: seed.source,
      captured_version: bytes.files,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(reopen(lifecycle, bytes.files, now)))
    .execute();
}

/** Files that the session is parsed from arrived after its lines: parses the session again, if it exists. */
export async function markMoreToParse(tx: Tx, sessionId: string, bytes: NewBytes, now: string): Promise<void> {
  await tx
    .updateTable('sessions')
    .set(reopen(reopenedAs(bytes, now), bytes.files, now))
    .where('id', '=', sessionId)
    .execute();
}

interface StateChange {
  readonly sessionId: string;
  readonly to: Lifecycle;
  readonly parseStatus: ParseStatus;
  /** Columns to change together with the state. */
  readonly set?: UpdateObject<Database, 'sessions'>;
  /** Only the holder of this claim may make the change. */
  readonly claim?: Claim;
  readonly now: string;
}

/** The outcome of a state change, with the reason if it was not made. Losing a race is a result, not an error. */
export type StateResult =
  | { readonly won: true }
  | {
      readonly won: false;
      readonly why: 'no_such_session' | 'not_from_this_state' | 'claimed_by_another';
      readonly lifecycle: Lifecycle | null;
      readonly holder: string | null;
    };

/** Runs one UPDATE, guarded by the allowed previous states and, if given, by the claim. */
export async function changeState(tx: Tx, change: StateChange): Promise<StateResult> {
  const { sessionId, to, parseStatus, claim } = change;
  const before = statesBefore(to);
  if (before.length === 0) return whyLost(tx, change);
  let update = tx
    .updateTable('sessions')
    .set({ ...change.set, lifecycle: to, parse_status: parseStatus, updated_at: change.now })
    .where('id', '=', sessionId)
    .where('lifecycle', 'in', before);
  if (claim !== undefined) update = update.where('claim_token', '=', claim.token);
  const { numUpdatedRows } = await update.executeTakeFirst();
  return numUpdatedRows === 1n ? { won: true } : whyLost(tx, change);
}

async function whyLost(tx: Tx, { sessionId, claim }: StateChange): Promise<StateResult> {
  const row = await tx
    .selectFrom('sessions')
    .select(['lifecycle', 'claim_holder', 'claim_token'])
    .where('id', '=', sessionId)
    .executeTakeFirst();
  if (row === undefined) return { won: false, why: 'no_such_session', lifecycle: null, holder: null };
  const isOthers = claim !== undefined && row.claim_token !== claim.token;
  return {
    won: false,
    why: isOthers ? 'claimed_by_another' : 'not_from_this_state',
    lifecycle: row.lifecycle as Lifecycle,
    holder: row.claim_holder,
  };
}

/** A process that works on the session loses its claim. */
export async function cancelWork(tx: Tx, sessionId: string): Promise<void> {
  await tx
    .updateTable('sessions')
    .set({ claim_holder: null, claim_expires_at_ms: 0 })
    .where('id', '=', sessionId)
    .execute();
}

/** Schedules sessions for parsing, in any state; archived ones get their rows back. */
export async function markUnparsed(db: Tx, sessionIds: readonly string[], now: string): Promise<void> {
  for (const some of inParts(sessionIds)) {
    await db
      .updateTable('sessions')
      .set({
        lifecycle: sql`CASE WHEN lifecycle = 'capturing' THEN lifecycle ELSE 'ended' END`,
        parse_status: 'pending',
        parser_version: 0,
        tried_parser_version: 0,
        attempts: 0,
        next_try_at_ms: 0,
        updated_at: now,
      })
      .where('id', 'in', fewLengths(some))
      .where('captured_version', '>', 0)
      .execute();
  }
}

/** Lists sessions with captured bytes, newest first, except archived ones. */
export async function listUnarchivedSessions(db: Tx): Promise<string[]> {
  const rows = await db
    .selectFrom('sessions')
    .select('id')
    .where('captured_version', '>', 0)
    .where('lifecycle', '<>', 'archived')
    .orderBy('started_at', 'desc')
    .execute();
  return rows.map(({ id }) => id);
}

/** Lists sessions with captured bytes but without rows. */
export async function listSessionsWithoutRows(db: Tx): Promise<string[]> {
  const rows = await db
    .selectFrom('sessions')
    .select('id')
    .where('captured_version', '>', 0)
    .where('revision', '=', 0)
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** Resets failed steps at the user's request, so that each is tried again. */
export async function forgetAttempts(db: Tx): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ attempts: 0, next_try_at_ms: 0, tried_parser_version: 0 })
    .where('parse_status', '=', 'failed')
    .execute();
  await db.deleteFrom('session_steps').where('outcome', '=', 'failed').execute();
}

/** Schedules every session for parsing. */
export async function markAllUnparsed(db: Tx): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ parser_version: 0, tried_parser_version: 0, indexed_version: 0, correlated_version: 0 })
    .execute();
}
