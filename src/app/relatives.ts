import type { Relative } from '../api/relatives.ts';
import { titleOf } from '../reading/names.ts';
import type { Tx } from '../store/engine.ts';
import { findDeletedOrigins } from '../store/queries/deletions/deletions.ts';
import { readRelatives } from '../store/queries/lineage/relatives.ts';

/** The relatives of a session with the titles that the page shows. */
export async function listRelatives(db: Tx, sessionId: string): Promise<readonly Relative[]> {
  const rows = await readRelatives(db, sessionId);
  const stored = rows.map((row) => ({
    session_id: row.session_id,
    kind: row.kind,
    is_origin: Boolean(row.is_origin),
    title: row.is_stored ? titleOf(row) : null,
    is_deleted: Boolean(row.is_deleted),
    started_at: row.started_at,
    lines: row.lines,
    at_ordinal: row.at_ordinal,
  }));
  const known = new Set(stored.map(({ session_id }) => session_id));
  const deleted = (await findDeletedOrigins(db, sessionId)).filter((id) => !known.has(id));
  return [...deleted.map(deletedOrigin), ...stored];
}

/** Nothing but its id is left. */
function deletedOrigin(session_id: string): Relative {
  const nothing = { title: null, started_at: null, lines: 0, at_ordinal: null };
  return { session_id, kind: 'forked', is_origin: true, is_deleted: true, ...nothing };
}
