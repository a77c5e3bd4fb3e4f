import { sql } from 'kysely';
import type { Engine } from '../../src/store/engine.ts';

/** Whether PostgreSQL has the index of words. Searches are slow without it, but find the same. */
export async function hasWordIndex({ kysely }: Engine): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    SELECT to_regclass('search_index_words') IS NOT NULL AS found`.execute(kysely);
  return rows[0]?.found === true;
}
