import { sql } from 'kysely';
import type { SessionStep } from '../../../api/sessions.ts';
import { RETRY_PAUSES, type StepReport } from '../../../domain/pipeline.ts';
import { backoffMs } from '../../../lib/timing.ts';
import type { Engine, Tx } from '../../engine.ts';
import { fewLengths, replacing } from '../../sql.ts';
import { cleanTextOrNull } from '../../text.ts';

const COLUMNS = [
  'session_id',
  'step',
  'outcome',
  'error_code',
  'error',
  'attempts',
  'next_try_at_ms',
  'duration_ms',
  'revision',
  'finished_at',
] as const;

const REPLACE = `ON CONFLICT (session_id, step) DO UPDATE SET ${replacing(COLUMNS.slice(2))}`;

/** Saves the last outcome of each step of some sessions; the failure of one step does not affect the others. */
export async function saveSteps(
  engine: Engine,
  tx: Tx,
  sessionIds: readonly string[],
  reports: readonly StepReport[],
  now: string,
): Promise<void> {
  if (reports.length === 0 || sessionIds.length === 0) return;
  const { rows: sessions } = await sql<{ id: string; revision: number; now_ms: number }>`
    SELECT id, revision, ${engine.nowMs} AS now_ms FROM sessions WHERE id IN (${sql.join(fewLengths(sessionIds))})`.execute(
    tx,
  );
  const { rows: unfinished } = await sql<{ session_id: string; step: string; attempts: number }>`
    SELECT t.session_id, t.step, t.attempts FROM session_steps t
    JOIN sessions s ON s.id = t.session_id AND s.revision = t.revision
    WHERE t.session_id IN (${sql.join(fewLengths(sessionIds))}) AND t.outcome IN ('failed', 'waits')`.execute(tx);
  const before = new Map(unfinished.map(({ session_id, step, attempts }) => [`${step} ${session_id}`, attempts]));
  const rows = sessions.flatMap(({ id, revision, now_ms }) =>
    reports.map(({ step, outcome, errorCode, error, durationMs }) => {
      const attempts = (before.get(`${step} ${id}`) ?? 0) + 1;
      const nextTryAtMs = now_ms + backoffMs(attempts, RETRY_PAUSES);
      const failure = [outcome, errorCode, cleanTextOrNull(error), attempts, nextTryAtMs];
      return [id, step, ...failure, Math.round(durationMs), revision, now];
    }),
  );
  await engine.insertMany(tx, 'session_steps', COLUMNS, rows, REPLACE);
}

export async function listSteps(db: Tx, sessionId: string): Promise<readonly SessionStep[]> {
  return db
    .selectFrom('session_steps')
    .select(['step', 'outcome', 'error_code', 'error', 'attempts', 'duration_ms', 'revision', 'finished_at'])
    .where('session_id', '=', sessionId)
    .orderBy('finished_at')
    .orderBy('step')
    .execute();
}
