import { sql, type RawBuilder } from 'kysely';
import type { SessionWork } from '../../../api/sessions.ts';
import type { Tx } from '../../engine.ts';
import { safeSumOrZero } from '../../sql.ts';
import { IS_OWN_COMMIT } from './session-conditions.ts';

const NO_WORK: SessionWork = { lines_added: 0, lines_removed: 0, commits: 0, failed_calls: 0, api_errors: 0 };

/** What came of these sessions: changed lines, commits and errors. What was copied from another session is not counted. */
export async function readSessionWork(db: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, SessionWork>> {
  const found = new Map<string, SessionWork>(ids.map((id) => [id, NO_WORK]));
  if (ids.length === 0) return found;
  for (const part of PARTS) {
    const { rows } = await sql<{ readonly id: string } & Partial<SessionWork>>`${part(sql.join(ids))}`.execute(db);
    for (const { id, ...counts } of rows) found.set(id, { ...(found.get(id) ?? NO_WORK), ...counts });
  }
  return found;
}

/** Status as a literal: the index of failed calls is not used with a parameter. */
const PARTS: readonly ((ids: RawBuilder<unknown>) => RawBuilder<unknown>)[] = [
  (ids) => sql`SELECT s.id, ${safeSumOrZero(sql`x.lines_added`)} AS lines_added,
      ${safeSumOrZero(sql`x.lines_removed`)} AS lines_removed
    FROM sessions s JOIN touched_files x ON x.session_id = s.id AND x.revision = s.revision
    WHERE s.id IN (${ids}) GROUP BY s.id`,
  (ids) => sql`SELECT s.id, count(*) AS failed_calls
    FROM sessions s JOIN tool_calls x ON x.session_id = s.id AND x.revision = s.revision
    WHERE s.id IN (${ids}) AND x.status = 'error' AND NOT x.is_inherited GROUP BY s.id`,
  (ids) => sql`SELECT s.id, count(*) AS api_errors
    FROM sessions s JOIN api_errors x ON x.session_id = s.id AND x.revision = s.revision
      JOIN transcript_messages m ON m.session_id = x.session_id AND m.revision = x.revision AND m.id = x.message_id
    WHERE s.id IN (${ids}) AND NOT m.is_inherited GROUP BY s.id`,
  (ids) => sql`SELECT x.session_id AS id, count(*) AS commits FROM git_activity x
    WHERE x.session_id IN (${ids}) AND ${IS_OWN_COMMIT} GROUP BY x.session_id`,
];
