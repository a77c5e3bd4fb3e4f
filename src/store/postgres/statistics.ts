import { type Kysely, sql } from 'kysely';
import type { Database } from '../rows.ts';

/** Plans for smaller tables are good enough. */
const FEW_ROWS = 1_000;
const GROWTH = 3;

/**
 * Updates the planner's statistics of tables that have quadrupled since they were last analyzed. The server itself
 * checks once a minute; by then a large import is half done. Without statistics, finding the messages that sessions
 * share took 40 ms for each session.
 */
export async function refreshStatistics(kysely: Kysely<Database>): Promise<void> {
  const { rows } = await sql<{ name: string }>`SELECT s.relname AS name
    FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid
    WHERE s.schemaname = current_schema()
      AND s.n_mod_since_analyze > ${sql.lit(FEW_ROWS)} + ${sql.lit(GROWTH)} * greatest(c.reltuples, 0)`.execute(kysely);
  for (const { name } of rows) await sql`ANALYZE (SKIP_LOCKED) ${sql.table(name)}`.execute(kysely);
}
