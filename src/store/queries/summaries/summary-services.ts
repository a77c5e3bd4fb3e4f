import type { Engine, Tx } from '../../engine.ts';

/** A service that is paused for a while, with the reason; shared by all processes of the store. */
interface ServicePause {
  readonly service: string;
  readonly why: string;
  readonly failures: number;
  readonly pausedUntil: string;
  readonly notice: string;
}

/** The current pause of any of these services; null when all are available. */
export async function readPause(db: Tx, services: readonly string[], now: string): Promise<ServicePause | null> {
  const row = await selectPauses(db)
    .where('service', 'in', services)
    .where('paused_until', '>', now)
    .orderBy('service')
    .executeTakeFirst();
  return row ?? null;
}

/** The last pause of a service, even if it is over. */
export async function readPauseOf(db: Tx, service: string): Promise<ServicePause | null> {
  return (await selectPauses(db).where('service', '=', service).executeTakeFirst()) ?? null;
}

function selectPauses(db: Tx) {
  return db
    .selectFrom('summary_services')
    .select(['service', 'why', 'failures', 'paused_until as pausedUntil', 'notice']);
}

/**
 * Records a failure; `pauseMs` maps the number of consecutive failures to a pause. Returns true when the reason is new,
 * so that the user is notified.
 */
export async function saveFailure(
  engine: Engine,
  failure: { readonly service: string; readonly why: string; readonly notice: string; readonly nowMs: number },
  pauseMs: (failures: number) => number,
): Promise<boolean> {
  const { service, why, notice, nowMs } = failure;
  return engine.transaction(async (tx) => {
    const before = await readPauseOf(tx, service);
    const failures = (before?.failures ?? 0) + 1;
    const until = new Date(nowMs + pauseMs(failures)).toISOString();
    const values = { failures, why, notice, paused_until: until };
    await tx
      .insertInto('summary_services')
      .values({ service, ...values })
      .onConflict((conflict) => conflict.column('service').doUpdateSet(values))
      .execute();
    return before === null || before.why !== why;
  });
}

/** After a pause one caller probes the service: extends the pause for all others. False when another was faster. */
export async function takeProbe(db: Tx, { service, pausedUntil }: ServicePause, until: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('summary_services')
    .set({ paused_until: until })
    .where('service', '=', service)
    .where('paused_until', '=', pausedUntil)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function clearFailures(tx: Tx, service: string): Promise<void> {
  await tx.deleteFrom('summary_services').where('service', '=', service).execute();
}
