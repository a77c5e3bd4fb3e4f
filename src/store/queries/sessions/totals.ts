import { sql } from 'kysely';
import type { Tx } from '../../engine.ts';
import { IS_SESSION } from './session-facts.ts';

export interface Totals {
  readonly sessions: number;
  readonly messages: number;
  readonly files: number;
  readonly archivedBytes: number;
  readonly storedBytes: number;
}

/** The totals of the store, in five numbers. */
export async function readTotals(db: Tx): Promise<Totals> {
  const { rows } = await sql<Totals>`SELECT
    (SELECT count(*) FROM sessions s WHERE ${IS_SESSION}) AS sessions,
    (SELECT coalesce(sum(total_messages), 0) FROM sessions) AS messages,
    (SELECT count(*) FROM source_files) AS files,
    (SELECT coalesce(sum(size_bytes), 0) FROM generations) AS "archivedBytes",
    (SELECT coalesce(sum(stored_bytes), 0) FROM blobs) AS "storedBytes"`.execute(db);
  const totals = rows[0];
  if (!totals) throw new Error('a SELECT without FROM gave no row');
  return totals;
}
