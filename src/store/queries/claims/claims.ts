import { type RawBuilder, sql } from 'kysely';
import { FuelError } from '../../../domain/errors.ts';
import { type Claim, MAX_ATTEMPTS, RETRY_PAUSES, type StepName } from '../../../domain/pipeline.ts';
import { backoffMs } from '../../../lib/timing.ts';
import type { Engine, Tx } from '../../engine.ts';
import { fewLengths } from '../../sql.ts';
import { cutText } from '../../text.ts';

/**
 * Claims on sessions. A claim is one UPDATE with a lease by the database's clock; each gives the session a higher
 * token, and every write of a step checks it: F2, F3.
 */

export const CLAIM_MS = 60_000;

export interface ClaimOptions {
  readonly holder: string;
  readonly parserVersion: number;
  /** Sessions priced with another price book are parsed again; omit it to skip this check. */
  readonly priceBook?: string | undefined;
  /** Only these sessions. */
  readonly sessionIds?: readonly string[];
  /** Only sessions of this device and of devices that ship: the step needs the session's disk. */
  readonly deviceId?: string;
  /** Only sessions without crashes or failed attempts; the others are processed alone. */
  readonly isHarmless?: boolean;
  /** Only sessions that are not waiting to be compared with others. */
  readonly isSettled?: boolean;
}

export type Work = 'parse' | 'correlate' | 'summarize' | 'index' | 'archive';

type DueOptions = Omit<ClaimOptions, 'holder'>;
type Versions = Pick<ClaimOptions, 'parserVersion' | 'priceBook'>;

const IS_SETTLED = sql`NOT EXISTS (
  SELECT 1 FROM session_lineage l WHERE l.session_id = sessions.id AND l.needs_settling)`;

/** Pending work is derived from the stored rows. */
function isDue(engine: Engine, work: Work, versions: Versions): RawBuilder<boolean> {
  const { parserVersion } = versions;
  const conditions: Record<Work, RawBuilder<boolean>> = {
    parse: sql`captured_version > 0
      AND (captured_version > parsed_version OR (${isOutdated(versions)} AND lifecycle <> 'archived'))
      AND (attempts < ${MAX_ATTEMPTS} OR tried_parser_version < ${parserVersion} OR parse_status = 'parsing')
      AND (next_try_at_ms <= ${engine.nowMs} OR tried_parser_version < ${parserVersion})`,
    correlate: sql`correlated_version < rows_version
      AND lifecycle <> 'archived' AND ${mayTry(engine, 'correlate')}`,
    // The summarizer decides which sessions lack a summary.
    summarize: sql`parse_status = 'completed' AND lifecycle <> 'archived' AND ${mayTry(engine, 'summarize')}`,
    index: sql`indexed_version < rows_version
      AND lifecycle <> 'archived' AND ${mayTry(engine, 'index')}`,
    archive: sql`lifecycle IN ('parsed', 'summarized') AND captured_version = parsed_version
      AND parser_version = ${parserVersion}
      AND NOT EXISTS (SELECT 1 FROM session_pins p WHERE p.session_id = sessions.id)
      AND ${IS_SETTLED}`,
  };
  return conditions[work];
}

/** The session must be parsed from the start; one that has only grown usually continues with its new bytes. */
function isOutdated({ parserVersion, priceBook }: Versions): RawBuilder<boolean> {
  const isRepriced = priceBook === undefined ? sql`` : sql` OR price_book <> ${priceBook}`;
  return sql`(parser_version < ${parserVersion}${isRepriced})`;
}

/** A step that failed on this revision waits for its next attempt, up to a maximum number. */
function mayTry(engine: Engine, step: StepName): RawBuilder<boolean> {
  return sql`NOT EXISTS (
    SELECT 1 FROM session_steps t
    WHERE t.session_id = sessions.id AND t.step = ${step} AND t.revision = sessions.revision AND t.outcome = 'failed'
      AND (t.attempts >= ${MAX_ATTEMPTS} OR t.next_try_at_ms > ${engine.nowMs}))`;
}

/**
 * Claims the newest unclaimed session with this work; null when there is none. Sessions with unfinished attempts are
 * scheduled last.
 */
export async function claimNext(engine: Engine, work: Work, options: ClaimOptions): Promise<Claim | null> {
  const [claim] = await claimSome(engine, work, options, 1);
  return claim ?? null;
}

/** Claims up to `count` sessions, newest first. */
export async function claimSome(
  engine: Engine,
  work: Work,
  options: ClaimOptions,
  count: number,
): Promise<readonly Claim[]> {
  const { holder, parserVersion } = options;
  const wanted = sql`${selectDue(engine, work, options, count)} ${engine.skipLocked}`;
  // Materialized: a plan that evaluated the subselect per session would claim too many.
  const { rows } = await sql<{ id: string; claim_token: number; started_at: string }>`
    WITH wanted AS MATERIALIZED (${wanted})
    UPDATE sessions SET claim_holder = ${holder}, claim_work = ${work}, claim_token = claim_token + 1,
      claim_expires_at_ms = ${engine.nowMs} + ${sql.lit(CLAIM_MS)}
      ${work === 'parse' ? sql`, ${startParsing(parserVersion)}` : sql``}
    WHERE id IN (SELECT id FROM wanted) RETURNING id, claim_token, started_at`.execute(engine.kysely);
  const keyOf = ({ started_at, id }: { started_at: string; id: string }) => `${started_at} ${id}`;
  return rows
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? 1 : -1))
    .map(({ id, claim_token }) => ({ sessionId: id, holder, token: claim_token }));
}

/** Lists unclaimed sessions with this work, in the order in which they would be claimed. */
export async function findDue(
  engine: Engine,
  work: Work,
  options: DueOptions,
  limit: number,
): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`${selectDue(engine, work, options, limit)}`.execute(engine.kysely);
  return rows.map(({ id }) => id);
}

interface WorkSize {
  /** Archived bytes of its transcripts. */
  readonly bytes: number;
  /** Failed and unfinished parses. */
  readonly attempts: number;
  /** Processes that crashed at another step. */
  readonly crashes: number;
}

/** Properties that decide which sessions are processed together. */
export async function loadWorkSizes(db: Tx, sessionIds: readonly string[]): Promise<ReadonlyMap<string, WorkSize>> {
  const { rows } = await sql<WorkSize & { readonly id: string }>`
    SELECT s.id, s.attempts, s.deaths AS crashes, CAST(coalesce(sum(g.size_bytes), 0) AS BIGINT) AS bytes FROM sessions s
    LEFT JOIN source_files f ON f.session_id = s.id AND f.kind IN ('main', 'agent')
    LEFT JOIN generations g ON g.source_file_id = f.id AND g.number = f.generation
    WHERE s.id IN (${sql.join(fewLengths(sessionIds))}) GROUP BY s.id, s.attempts, s.deaths`.execute(db);
  return new Map(rows.map(({ id, ...size }) => [id, size]));
}

/** The archived bytes of sessions that must be parsed from the start, claimed or not. */
export async function sumDueBytes(engine: Engine, versions: Versions): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    SELECT CAST(coalesce(sum(g.size_bytes), 0) AS BIGINT) AS bytes FROM source_files f
    JOIN generations g ON g.source_file_id = f.id AND g.number = f.generation
    WHERE f.kind IN ('main', 'agent')
      AND f.session_id IN (
        SELECT id FROM sessions WHERE ${isDue(engine, 'parse', versions)} AND ${isOutdated(versions)})`.execute(
    engine.kysely,
  );
  return rows[0]?.bytes ?? 0;
}

/** A session of this device or of one that ships to it. */
export function isOfDevice(deviceId: string): RawBuilder<boolean> {
  return sql`(device_id = ${deviceId} OR device_id IN (SELECT id FROM devices WHERE type = 'remote'))`;
}

function selectDue(engine: Engine, work: Work, options: DueOptions, limit: number) {
  const { sessionIds, deviceId, isHarmless = false, isSettled = false } = options;
  const failures = work === 'parse' ? sql`attempts` : sql`deaths`;
  return sql`
    SELECT id FROM sessions
    WHERE claim_expires_at_ms <= ${engine.nowMs} AND ${isDue(engine, work, options)}
      ${work === 'parse' ? sql`` : sql`AND claim_holder IS NULL`}
      ${isHarmless ? sql`AND ${failures} = 0` : sql``}
      ${isSettled ? sql`AND ${IS_SETTLED}` : sql``}
      ${sessionIds === undefined ? sql`` : sql`AND id IN (${sql.join(fewLengths(sessionIds))})`}
      ${deviceId === undefined ? sql`` : sql`AND ${isOfDevice(deviceId)}`}
    ORDER BY ${failures}, started_at DESC, id DESC LIMIT ${limit}`;
}

/**
 * A session that was parsed before returns to `ended`; one that is still growing stays `capturing`. Taking over an
 * expired claim counts the attempt of the holder who never finished; see releaseDeadClaims.
 */
function startParsing(parserVersion: number) {
  return sql`parse_status = 'parsing',
    lifecycle = CASE WHEN lifecycle = 'capturing' THEN lifecycle ELSE 'ended' END,
    deaths = 0, attempts = CASE WHEN tried_parser_version < ${parserVersion} THEN 0
      WHEN claim_holder IS NOT NULL THEN ${attemptsAfterCrash} ELSE attempts END,
    tried_parser_version = ${parserVersion}`;
}

/** Counts the attempt in progress, unless new bytes have reset the attempts since it began. */
export const attemptsAfterCrash = sql<number>`CASE WHEN parse_status = 'parsing' THEN attempts + 1 ELSE attempts END`;

const NO_VERSIONS: Versions = { parserVersion: 0 };

/** Counts the sessions with this work, claimed or not. */
export async function countDue(engine: Engine, work: Work, versions: Versions = NO_VERSIONS): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) AS count FROM sessions WHERE ${isDue(engine, work, versions)}`.execute(engine.kysely);
  return rows[0]?.count ?? 0;
}

/** Counts the sessions that wait for the full-text index, without files that have only titles of other sessions. */
export async function countSessionsToIndex(engine: Engine): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) AS count FROM sessions
    WHERE content <> 'titles' AND ${isDue(engine, 'index', NO_VERSIONS)}`.execute(engine.kysely);
  return rows[0]?.count ?? 0;
}

/** Thrown inside a step whose claim another process has taken over; nothing of the step is stored. */
export class ClaimLost extends FuelError {
  constructor({ sessionId }: Claim) {
    super('busy', `Another process has taken over session ${sessionId}.`, { hint: 'It does the same work.' });
  }
}

/** Every write of a step starts with this: it extends the leases or ends the step. Errors: ClaimLost. */
export async function holdClaims(engine: Engine, tx: Tx, claims: readonly Claim[]): Promise<void> {
  if (claims.length === 0) return;
  const { rows } = await sql<{ id: string }>`
    UPDATE sessions SET claim_expires_at_ms = ${engine.nowMs} + ${sql.lit(CLAIM_MS)}
    WHERE ${areHeld(claims)} AND claim_holder IN (${sql.join([...new Set(claims.map(({ holder }) => holder))])})
    RETURNING id`.execute(tx);
  const held = new Set(rows.map(({ id }) => id));
  const lost = claims.find(({ sessionId }) => !held.has(sessionId));
  if (lost !== undefined) throw new ClaimLost(lost);
}

/** The same without extending the leases, for a writer that only reads the database. Errors: ClaimLost. */
export async function checkClaims(db: Tx, claims: readonly Claim[]): Promise<void> {
  const { rows } = await sql<{ id: string }>`SELECT id FROM sessions
    WHERE ${areHeld(claims)} AND claim_holder IS NOT NULL`.execute(db);
  const lost = claims.find(({ sessionId }) => !rows.some(({ id }) => id === sessionId));
  if (lost !== undefined) throw new ClaimLost(lost);
}

/** Releases the sessions; returns the ids of those that were not lost before. */
export async function releaseClaims(tx: Tx, claims: readonly Claim[]): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    UPDATE sessions SET claim_holder = NULL, claim_expires_at_ms = 0
    WHERE ${areHeld(claims)} RETURNING id`.execute(tx);
  return rows.map(({ id }) => id);
}

/** The token of a claim is still the newest of its session. */
function areHeld(claims: readonly Claim[]): RawBuilder<boolean> {
  const padded = fewLengths(claims);
  const pairs = padded.map(({ sessionId, token }) => sql`(id = ${sessionId} AND claim_token = ${token})`);
  return sql`id IN (${sql.join(padded.map(({ sessionId }) => sessionId))}) AND (${sql.join(pairs, sql` OR `)})`;
}

/**
 * The parse was stopped through no fault of the session: it waits for the next attempt, and this one is not counted.
 */
export async function giveUpParsing(tx: Tx, { sessionId, token }: Claim, now: string): Promise<void> {
  await tx
    .updateTable('sessions')
    .set({
      parse_status: 'pending',
      claim_holder: null,
      claim_expires_at_ms: 0,
      updated_at: now,
    })
    .where('id', '=', sessionId)
    .where('claim_token', '=', token)
    .where('parse_status', '=', 'parsing')
    .execute();
}

const MAX_ERROR_CHARS = 2_000;

/**
 * F9: the parser failed on these bytes. Rows of an earlier parse stay; it is retried later, a limited number of times.
 */
export async function failParsing(engine: Engine, claim: Claim, why: string, now: string): Promise<void> {
  await engine.transaction(async (tx) => {
    const row = await tx
      .selectFrom('sessions')
      .select('attempts')
      .where('id', '=', claim.sessionId)
      .where('claim_token', '=', claim.token)
      .executeTakeFirst();
    if (row === undefined) return;
    const attempts = Math.min(row.attempts + 1, MAX_ATTEMPTS);
    await tx
      .updateTable('sessions')
      .set({
        lifecycle: 'failed',
        parse_status: 'failed',
        parse_error: cutText(why, MAX_ERROR_CHARS).text,
        attempts,
        next_try_at_ms: sql`${engine.nowMs} + ${sql.lit(backoffMs(attempts, RETRY_PAUSES))}`,
        claim_holder: null,
        claim_expires_at_ms: 0,
        updated_at: now,
      })
      .where('id', '=', claim.sessionId)
      .where('claim_token', '=', claim.token)
      .execute();
  });
}
