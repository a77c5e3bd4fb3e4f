import { sql } from 'kysely';
import { type Lifecycle, TRANSITIONS } from '../../domain/session.ts';
import type { Tx } from '../engine.ts';

export interface SessionSeed {
  readonly id: string;
  readonly workspaceId: string;
  readonly deviceId: string;
  readonly startedAt: string;
  readonly source: string;
}

/** Every state that may go to `to`: the guard of a transition. */
function statesBefore(to: Lifecycle): Lifecycle[] {
  return (Object.keys(TRANSITIONS) as Lifecycle[]).filter((from) =>
    (TRANSITIONS[from] as readonly Lifecycle[]).includes(to),
  );
}

/**
 * New bytes of a session are safe in the archive: its row is made, or re-opened from whatever state it was in.
 * Rows parsed from earlier bytes stay readable until the new ones replace them.
 */
export async function markBytesCaptured(tx: Tx, seed: SessionSeed, now: string): Promise<void> {
  await tx
    .insertInto('sessions')
    .values({
      id: seed.id,
      workspace_id: seed.workspaceId,
      device_id: seed.deviceId,
      lifecycle: 'capturing',
      parse_status: 'pending',
      started_at: seed.startedAt,
      source: seed.source,
      captured_version: 1,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({
        lifecycle: 'capturing',
        parse_status: 'pending',
        captured_version: sql`sessions.captured_version + 1`,
        attempts: 0,
        next_try_at_ms: 0,
        updated_at: now,
      }),
    )
    .execute();
}

/** Something that a session is parsed from came later than its lines: it is parsed again, if it is there at all. */
export async function markMoreToParse(tx: Tx, sessionId: string, now: string): Promise<void> {
  await tx
    .updateTable('sessions')
    .set({
      lifecycle: 'capturing',
      parse_status: 'pending',
      captured_version: sql`captured_version + 1`,
      attempts: 0,
      next_try_at_ms: 0,
      updated_at: now,
    })
    .where('id', '=', sessionId)
    .execute();
}

/** A session whose files have been quiet for a while has ended, whether a hook said so or not. */
export async function markSessionEnded(
  tx: Tx,
  sessionId: string,
  end: { readonly reason: string; readonly now: string },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('sessions')
    .set({ lifecycle: 'ended', parse_status: 'pending', end_reason: end.reason, updated_at: end.now })
    .where('id', '=', sessionId)
    .where('lifecycle', 'in', statesBefore('ended'))
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Every session is to be understood again from its bytes. */
export async function markAllUnparsed(db: Tx): Promise<void> {
  await db.updateTable('sessions').set({ parser_version: 0, indexed_revision: 0 }).execute();
}
