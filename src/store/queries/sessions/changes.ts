import { sql } from 'kysely';
import type { SessionChange } from '../../../api/live.ts';
import { FuelError } from '../../../domain/errors.ts';
import type { Tx } from '../../engine.ts';
import { fewLengths, ofCurrentRevision } from '../../sql.ts';

/** A point in the sequence of changes; the epoch distinguishes a database from one that replaced it. */
export interface Mark {
  readonly epoch: string;
  readonly seq: number;
}

/** Reads the latest change. */
export async function readClock(db: Tx): Promise<Mark> {
  const clock = await db.selectFrom('change_clock').select(['epoch', 'seq']).executeTakeFirst();
  if (clock !== undefined) return clock;
  throw new FuelError('store_unavailable', 'The change counter is missing from the database.', {
    hint: 'Run `fuel-code rebuild` to create a new database.',
  });
}

/** Records changes of sessions that are not visible in their rows. */
export async function recordChanges(db: Tx, sessionIds: readonly string[]): Promise<void> {
  await db
    .updateTable('sessions')
    .set(({ ref }) => ({ updated_at: ref('updated_at') }))
    .where('id', 'in', fewLengths(sessionIds))
    .execute();
}

interface ChangesQuery {
  readonly after: number;
  readonly limit: number;
  readonly sessionId?: string;
}

export type ListedChange = { readonly seq: number } & (
  | { readonly type: 'session'; readonly data: SessionChange }
  | { readonly type: 'deleted'; readonly data: { readonly id: string } }
);

/** Lists sessions that changed after that point, each once, ordered by their last change. */
export async function listChanges(db: Tx, { after, limit, sessionId }: ChangesQuery): Promise<readonly ListedChange[]> {
  const rows = await db
    .selectFrom('session_changes as c')
    .leftJoin('sessions as s', 's.id', 'c.session_id')
    .leftJoin('workspaces as w', 'w.id', 's.workspace_id')
    .select(['c.session_id', 'c.seq', 'c.first_seq', 'c.ended_seq', 's.id', 's.workspace_id', 's.lifecycle'])
    .select(['s.parse_status', 's.revision', 's.total_messages', 's.updated_at', 's.title', 's.cost_estimate_usd'])
    .select('w.display_name as workspace_name')
    .where((eb) => eb.or([eb('s.id', 'is not', null), sql<boolean>`c.is_deleted`]))
    .where('c.seq', '>', after)
    .$if(sessionId !== undefined, (select) => select.where('c.session_id', '=', sessionId ?? ''))
    .orderBy('c.seq')
    .limit(limit)
    .execute();
  return rows.map(({ session_id, seq, first_seq, ended_seq, ...row }) => {
    if (row.id === null) return { type: 'deleted', seq, data: { id: session_id } };
    const change = first_seq > after ? 'new' : ended_seq > after ? 'ended' : 'changed';
    return { type: 'session', seq, data: { ...(row as Omit<SessionChange, 'change'>), change } };
  });
}

/** Lists every message of the current revision with its number of blocks, which shows what is new and what grew. */
export async function listMessageSizes(
  db: Tx,
  sessionId: string,
): Promise<readonly { readonly id: string; readonly ordinal: number; readonly blocks: number }[]> {
  return db
    .selectFrom('transcript_messages as m')
    .innerJoin('sessions as s', ofCurrentRevision('m'))
    .leftJoin('content_blocks as b', (join) =>
      join
        .onRef('b.session_id', '=', 'm.session_id')
        .onRef('b.revision', '=', 'm.revision')
        .onRef('b.message_id', '=', 'm.id'),
    )
    .select(['m.id', 'm.ordinal', ({ fn }) => fn.count<number>('b.block_order').as('blocks')])
    .where('m.session_id', '=', sessionId)
    .groupBy(['m.id', 'm.ordinal'])
    .orderBy('m.ordinal')
    .execute();
}
