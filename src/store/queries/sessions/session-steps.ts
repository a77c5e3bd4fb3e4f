import { sql } from 'kysely';
import { RETRY_PAUSES, type StepReport } from '../../../domain/pipeline.ts';
import type { SessionStep } from '../../../api/sessions.ts';
import type { Engine, Tx } from '../../engine.ts';
import { cleanTextOrNull } from '../../text.ts';
import { backoffMs } from '../../../lib/timing.ts';

/** Saves the last outcome of each step of a session; the failure of one does not affect the others. */
export async function saveSteps(
  engine: Engine,
  tx: Tx,
  sessionId: string,
  reports: readonly StepReport[],
  now: string,
): Promise<void> {
  if (reports.length === 0) return;
  const { revision } = await tx
    .selectFrom('sessions')
    .select('revision')
    .where('id', '=', sessionId)
    .executeTakeFirstOrThrow();
  const before = await tx
    .selectFrom('session_steps')
    .select(['step', 'attempts'])
    .where('session_id', '=', sessionId)
    .where('revision', '=', revision)
    .where('outcome', 'in', ['failed', 'waits'])
    .execute();
  const triedBefore = new Map(before.map(({ step, attempts }) => [step, attempts]));
  const attemptsOf = (step: string) => (triedBefore.get(step) ?? 0) + 1;
  await tx
    .insertInto('session_steps')
    .values(
      reports.map((report) => ({
        session_id: sessionId,
        step: report.step,
        outcome: report.outcome,
        error_code: report.errorCode,
        error: cleanTextOrNull(report.error),
        attempts: attemptsOf(report.step),
        next_try_at_ms: sql`${engine.nowMs} + ${sql.lit(backoffMs(attemptsOf(report.step), RETRY_PAUSES))}`,
        duration_ms: Math.round(report.durationMs),
        revision,
        finished_at: now,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['session_id', 'step']).doUpdateSet({
        outcome: sql`excluded.outcome`,
        error_code: sql`excluded.error_code`,
        error: sql`excluded.error`,
        attempts: sql`excluded.attempts`,
        next_try_at_ms: sql`excluded.next_try_at_ms`,
        duration_ms: sql`excluded.duration_ms`,
        revision: sql`excluded.revision`,
        finished_at: sql`excluded.finished_at`,
      }),
    )
    .execute();
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
