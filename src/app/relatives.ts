import type { Relative } from '../api/relatives.ts';
import { titleOf } from '../reading/names.ts';
import type { Tx } from '../store/engine.ts';
import { readRelatives } from '../store/queries/lineage/relatives.ts';

/** The relatives of a session with the titles that the page shows. */
export async function listRelatives(db: Tx, sessionId: string): Promise<readonly Relative[]> {
  const rows = await readRelatives(db, sessionId);
  return rows.map((row) => ({
    session_id: row.session_id,
    kind: row.kind,
    is_origin: Boolean(row.is_origin),
    title: row.is_stored ? titleOf(row) : null,
    started_at: row.started_at,
    lines: row.lines,
    at_ordinal: row.at_ordinal,
  }));
}
