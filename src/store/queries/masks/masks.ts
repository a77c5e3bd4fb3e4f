import type { MaskNote } from '../../../domain/masking.ts';
import type { Tx } from '../../engine.ts';
import { fewLengths, inParts, readInParts } from '../../sql.ts';
import { cancelWork, markUnparsed } from '../sessions/session-state.ts';

/** Sessions whose secrets are masked whenever they are parsed. */

/** Which of these sessions are masked. */
export async function findMasked(db: Tx, sessionIds: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await readInParts([...new Set(sessionIds)], (some) =>
    db.selectFrom('masked_sessions').select('session_id').where('session_id', 'in', fewLengths(some)).execute(),
  );
  return new Set(rows.map(({ session_id }) => session_id));
}

export interface StoredMask {
  readonly sessionId: string;
  readonly at: string;
  readonly isSettled: boolean;
}

/** Lists all masked sessions, newest first. */
export async function listMasks(db: Tx): Promise<readonly StoredMask[]> {
  const rows = await db
    .selectFrom('masked_sessions')
    .selectAll()
    .orderBy('masked_at', 'desc')
    .orderBy('session_id')
    .execute();
  return rows.map(({ session_id, masked_at, is_settled }) => ({
    sessionId: session_id,
    at: masked_at,
    isSettled: Boolean(is_settled),
  }));
}

export async function hasMasks(db: Tx): Promise<boolean> {
  return (await db.selectFrom('masked_sessions').select('session_id').limit(1).executeTakeFirst()) !== undefined;
}

/** Masks or unmasks a session, also from the journal; idempotent. */
export async function applyMask(tx: Tx, { what, sessionId, at }: MaskNote): Promise<void> {
  if (what === 'session_unmasked') {
    await tx.deleteFrom('masked_sessions').where('session_id', '=', sessionId).execute();
    return;
  }
  await tx
    .insertInto('masked_sessions')
    .values({ session_id: sessionId, masked_at: at })
    .onConflict((conflict) => conflict.column('session_id').doUpdateSet({ is_settled: false }))
    .execute();
}

/**
 * Schedules the session for parsing with the new state; an archived one stays archived until it is restored. A process
 * that parses it with the old state loses its claim.
 */
export async function reparseAfterMasking(tx: Tx, sessionId: string, now: string): Promise<void> {
  await cancelWork(tx, sessionId);
  const archived = await tx
    .selectFrom('sessions')
    .select('id')
    .where('id', '=', sessionId)
    .where('lifecycle', '=', 'archived')
    .executeTakeFirst();
  if (archived === undefined) await markUnparsed(tx, [sessionId], now);
}

export async function settleMasks(db: Tx, sessionIds: readonly string[]): Promise<void> {
  for (const some of inParts(sessionIds)) {
    await db.updateTable('masked_sessions').set({ is_settled: true }).where('session_id', 'in', some).execute();
  }
}
