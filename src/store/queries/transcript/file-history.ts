import { sql } from 'kysely';
import type { FileHistory } from '../../../api/history.ts';
import type { SessionSelection } from '../../../domain/search.ts';
import type { Engine } from '../../engine.ts';
import { cutPage, decodePosition, isBeyond, ofCurrentRevision, type Position } from '../../sql.ts';
import { selectedSessions } from '../sessions/field-conditions.ts';
import { contains } from '../sessions/session-conditions.ts';

interface FileHistoryRequest extends SessionSelection {
  readonly path: string;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** A path occurs once in a session, so both together are unique. */
const ORDER = { at: sql.ref('s.started_at'), id: sql<string>`(s.id || ' ' || f.path)` };

/**
 * The files whose path contains a text, as each session touched them, newest session first. Errors: usage for a cursor
 * that is not ours.
 */
export async function pageFileHistory(engine: Engine, query: FileHistoryRequest): Promise<FileHistory> {
  const position = query.cursor === undefined ? null : decodePosition(query.cursor);
  const path = { type: 'text', text: query.path.toLowerCase(), isPrefix: false } as const;
  const rows = await engine.kysely
    .selectFrom('touched_files as f')
    .innerJoin('sessions as s', ofCurrentRevision('f'))
    .innerJoin('workspaces as w', 'w.id', 's.workspace_id')
    .select(['f.path', 'f.session_id', 's.title as session_title', 'w.display_name as workspace_name', 's.started_at'])
    .select(['f.reads', 'f.writes', 'f.lines_added', 'f.lines_removed'])
    .where(contains(engine, sql`f.path`, path))
    .where(selectedSessions(engine, query))
    .$if(position !== null, (select) => select.where(isBeyond(ORDER, position as Position, 'down')))
    .orderBy(ORDER.at, 'desc')
    .orderBy(ORDER.id, 'desc')
    .limit(query.limit + 1)
    .execute();
  const { page, next } = cutPage(rows, query.limit, (row) => ({
    at: row.started_at,
    id: `${row.session_id} ${row.path}`,
  }));
  return { touches: page, next_cursor: next };
}
