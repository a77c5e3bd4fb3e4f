import { sql } from 'kysely';
import type { Relative } from '../../../api/session-views.ts';
import type { Tx } from '../../engine.ts';

/** More relatives than anyone would follow. */
const MAX_RELATIVES = 200;

type RelativeRow = Omit<Relative, 'is_origin' | 'is_deleted' | 'title'> & {
  readonly is_deleted: boolean | number;
  readonly is_origin: boolean | number;
  readonly is_stored: boolean | number;
  readonly title: string | null;
  readonly initial_prompt: string | null;
};

/** The sessions that links of this session name, and those whose links name this one. */
export async function readRelatives(db: Tx, sessionId: string): Promise<readonly RelativeRow[]> {
  const { rows } = await sql<RelativeRow>`
    SELECT l.other_session_id AS session_id, l.kind, TRUE AS is_origin, o.id IS NOT NULL AS is_stored, o.title,
      o.initial_prompt, o.started_at, l.lines, m.ordinal AS at_ordinal, l.position,
      EXISTS (SELECT 1 FROM deleted_sessions d WHERE d.session_id = l.other_session_id) AS is_deleted
    FROM session_links l
    JOIN sessions s ON s.id = l.session_id AND s.revision = l.revision
    LEFT JOIN sessions o ON o.id = l.other_session_id
    LEFT JOIN session_lineage g ON g.session_id = s.id AND g.parent_session_id = l.other_session_id
    LEFT JOIN transcript_messages m ON m.session_id = s.id AND m.revision = s.revision AND m.id = g.inherited_through
    WHERE l.session_id = ${sessionId}
    UNION ALL
    SELECT o.id, l.kind, FALSE, TRUE, o.title, o.initial_prompt, o.started_at, l.lines, m.ordinal, l.position, FALSE
    FROM session_links l
    JOIN sessions o ON o.id = l.session_id AND o.revision = l.revision
    JOIN sessions s ON s.id = ${sessionId}
    LEFT JOIN session_lineage g ON g.session_id = o.id AND g.parent_session_id = s.id
    LEFT JOIN transcript_messages m ON m.session_id = s.id AND m.revision = s.revision AND m.id = g.inherited_through
    WHERE l.other_session_id = ${sessionId}
    ORDER BY 3 DESC, 7, 1, 10 LIMIT ${MAX_RELATIVES}`.execute(db);
  return rows;
}
