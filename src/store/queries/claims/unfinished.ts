import { sql } from 'kysely';
import type { PendingReason, PendingSession } from '../../../domain/pipeline.ts';
import { isAlive, isSameProcess, type ProcessIdentity, parseIdentity } from '../../../lib/process-identity.ts';
import type { Engine, Tx } from '../../engine.ts';
import { attemptsAfterCrash, isOfDevice, type Work } from './claims.ts';

interface PendingOptions {
  readonly parserVersion: number;
  /** This machine: repositories of other machines can only be read there. */
  readonly deviceId: string;
  /** A live session has no pending work yet. */
  readonly live: { readonly sessions: ReadonlySet<string>; readonly quietSince: string };
}

/** Lists sessions with pending work that `recover` can do, newest first. */
export async function findPending(
  engine: Engine,
  { parserVersion, deviceId, live }: PendingOptions,
  limit: number,
): Promise<readonly PendingSession[]> {
  const isOpen = live.sessions.size === 0 ? sql`1 = 0` : sql`id IN (${sql.join([...live.sessions])})`;
  const flags = {
    being_worked_on: sql`claim_expires_at_ms > ${engine.nowMs} AND captured_version > parsed_version`,
    stuck: sql`parse_status = 'parsing' AND claim_expires_at_ms <= ${engine.nowMs}`,
    failed: sql`parse_status = 'failed'`,
    new_bytes: sql`captured_version > parsed_version`,
    outdated_parser: sql`parser_version < ${parserVersion} AND revision > 0 AND lifecycle <> 'archived'`,
    never_ended: sql`lifecycle IN ('capturing', 'detected') AND NOT ${isOpen} AND updated_at < ${live.quietSince}`,
    not_correlated: sql`correlated_version < rows_version AND lifecycle <> 'archived' AND ${isOfDevice(deviceId)}`,
    not_indexed: sql`indexed_version < rows_version AND lifecycle <> 'archived'`,
  } satisfies Record<PendingReason, unknown>;
  const names = Object.keys(flags) as PendingReason[];
  const columns = names.map((name) => sql`CASE WHEN ${flags[name]} THEN 1 ELSE 0 END AS ${sql.ref(name)}`);
  const { rows } = await sql<PendingRow>`
    SELECT id, title, attempts, parse_error, ${sql.join(columns)} FROM sessions
    WHERE ${sql.join(
      names.map((name) => sql`(${flags[name]})`),
      sql` OR `,
    )}
    ORDER BY started_at DESC, id LIMIT ${sql.lit(limit)}`.execute(engine.kysely);
  return rows.map((row) => ({
    id: row.id,
    title: row.title,
    reasons: names.filter((name) => row[name] === 1),
    attempts: row.attempts,
    error: row.parse_error,
  }));
}

interface PendingRow extends Record<PendingReason, number> {
  readonly id: string;
  readonly title: string | null;
  readonly attempts: number;
  readonly parse_error: string | null;
}

/** Crashes of a parse count as its attempts. Archiving is started by a user, who sees the result. */
const COUNTED_WORK = {
  correlate: true,
  summarize: true,
  index: true,
} as const satisfies Readonly<Record<Exclude<Work, 'parse' | 'archive'>, true>>;

interface DeadClaimOptions {
  readonly boot: string;
  readonly itself: string | null;
  readonly now: string;
  /** Processes that were asked to stop and ended before they could release their sessions. */
  readonly interrupted?: readonly ProcessIdentity[];
}

/**
 * F1, F4: claims of processes on this machine that have ended are released at once, not when their lease expires; so
 * are those that `itself` could not release because the store was unavailable. F9: a crashed process cannot record its
 * failure, so the attempt is counted here, unless the process was interrupted. Call it while `itself` has no work in
 * progress.
 */
export async function releaseDeadClaims(engine: Engine, options: DeadClaimOptions): Promise<number> {
  const { boot, itself, now, interrupted = [] } = options;
  const { rows } = await sql<{ claim_holder: string; has_time: boolean | number }>`
    SELECT claim_holder, max(claim_expires_at_ms) > ${engine.nowMs} AS has_time FROM sessions
    WHERE claim_holder IS NOT NULL GROUP BY claim_holder`.execute(engine.kysely);
  let released = 0;
  for (const { claim_holder: holder, has_time } of rows) {
    const hasTime = Boolean(has_time);
    if (holder === itself || wasInterrupted(holder, interrupted, hasTime)) {
      released += await takeBack(engine.kysely, holder);
    } else if (isGone(holder, boot, hasTime)) released += await countCrashes(engine, holder, now);
  }
  return released;
}

/** Releases the sessions of terminated threads of this process without counting an attempt. */
export async function releaseClaimsOf(engine: Engine, process: ProcessIdentity): Promise<void> {
  const holders = await engine.kysely
    .selectFrom('sessions')
    .select('claim_holder')
    .distinct()
    .where('claim_holder', 'is not', null)
    .execute();
  for (const { claim_holder: holder } of holders) {
    if (holder !== null && isHeldBy(holder, process)) await takeBack(engine.kysely, holder);
  }
}

function isHeldBy(holder: string, process: ProcessIdentity): boolean {
  const identity = parseIdentity(holder);
  return identity !== null && isSameProcess(identity, process);
}

/** A process that is still shutting down may yet release its sessions itself. */
function wasInterrupted(holder: string, interrupted: readonly ProcessIdentity[], hasTime: boolean): boolean {
  const process = interrupted.find((one) => isHeldBy(holder, one));
  return process !== undefined && (!hasTime || !isAlive(process));
}

/** A lease expires when its holder stops extending it; for a process on this machine the system knows sooner. */
function isGone(holder: string, boot: string, hasTime: boolean): boolean {
  if (!hasTime) return true;
  const identity = parseIdentity(holder);
  return identity !== null && boot !== '' && identity.boot === boot && !isAlive(identity);
}

async function takeBack(db: Tx, holder: string): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('sessions')
    .set({ claim_holder: null, claim_expires_at_ms: 0 })
    .where('claim_holder', '=', holder)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

function countCrashes(engine: Engine, holder: string, now: string): Promise<number> {
  return engine.transaction(async (tx) => {
    const held = await tx
      .selectFrom('sessions')
      .select(['id', 'claim_work', 'claim_token', 'revision'])
      .where('claim_holder', '=', holder)
      .execute();
    let released = 0;
    for (const { id, claim_work, claim_token, revision } of held) {
      const isCounted = claim_work !== null && Object.hasOwn(COUNTED_WORK, claim_work);
      const { numUpdatedRows } = await tx
        .updateTable('sessions')
        .set({ claim_holder: null, claim_expires_at_ms: 0 })
        .$if(isCounted, (update) => update.set({ deaths: sql`deaths + 1` }))
        .$if(claim_work === 'parse', (update) => update.set({ attempts: attemptsAfterCrash }))
        .where('id', '=', id)
        .where('claim_token', '=', claim_token)
        .where('claim_holder', '=', holder)
        .executeTakeFirst();
      if (numUpdatedRows !== 1n) continue;
      released++;
      if (isCounted) await failStep(tx, { session_id: id, step: claim_work, revision }, now);
    }
    return released;
  });
}

const WHY = 'This step started but never finished: the process was killed or ran out of memory.';

/** Can be retried at once: the machine may have been switched off, with nothing wrong in the session. */
async function failStep(
  tx: Tx,
  step: { readonly session_id: string; readonly step: string; readonly revision: number },
  now: string,
): Promise<void> {
  const failed = { outcome: 'failed', error_code: 'internal', error: WHY, next_try_at_ms: 0, finished_at: now };
  await tx
    .insertInto('session_steps')
    .values({ ...step, ...failed, attempts: 1, duration_ms: 0 })
    .onConflict((conflict) =>
      conflict.columns(['session_id', 'step']).doUpdateSet({
        ...failed,
        revision: step.revision,
        attempts: sql`CASE WHEN session_steps.outcome IN ('failed', 'waits') AND session_steps.revision = ${step.revision}
          THEN session_steps.attempts + 1 ELSE 1 END`,
      }),
    )
    .execute();
}
