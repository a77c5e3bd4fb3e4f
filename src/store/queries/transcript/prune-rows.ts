import { sql } from 'kysely';
import type { Claim } from '../../../domain/pipeline.ts';
import type { Engine, TableName, Tx } from '../../engine.ts';
import { removeSessionFromIndex } from '../search/search-index.ts';
import { changeState, type StateResult } from '../sessions/session-state.ts';
import { deleteRevisions, REVISION_TABLES, type Revision } from './save-revision.ts';

/** The revision of a row and the session that counts it do not depend on the bytes. */
const NOT_COMPARED = new Set(['revision', 'counted']);

/** Tables in which two revisions of a session differ; none when the same bytes gave the same rows. */
export async function compareRevisions(
  db: Tx,
  { sessionId, number }: Pick<Revision, 'sessionId' | 'number'>,
  other: number,
): Promise<readonly string[]> {
  const different: string[] = [];
  for (const table of REVISION_TABLES) {
    const columns = await columnsOf(db, table, sessionId);
    if (columns.length === 0) continue;
    const compared = sql.join(columns.filter((name) => !NOT_COMPARED.has(name)).map((name) => sql.ref(name)));
    const rows = (revision: number) =>
      sql`SELECT ${compared} FROM ${sql.table(table)} WHERE session_id = ${sessionId} AND revision = ${revision}`;
    const missing = sql`SELECT count(*) FROM (${rows(number)} EXCEPT ${rows(other)}) AS a`;
    const added = sql`SELECT count(*) FROM (${rows(other)} EXCEPT ${rows(number)}) AS b`;
    const { rows: answer } = await sql<{ n: number }>`SELECT (${missing}) + (${added}) AS n`.execute(db);
    if (Number(answer[0]?.n) !== 0) different.push(table);
  }
  return different;
}

/** Empty when the session has no row in the table, in any revision. */
async function columnsOf(db: Tx, table: TableName, sessionId: string): Promise<readonly string[]> {
  const { rows } = await sql<object>`SELECT * FROM ${sql.table(table)} WHERE session_id = ${sessionId} LIMIT 1`.execute(
    db,
  );
  return Object.keys(rows[0] ?? {});
}

/** Deletes a revision that was written only for comparison. */
export async function dropRevision(tx: Tx, { sessionId, number }: Revision): Promise<void> {
  await deleteRevisions(tx, [sessionId], (revision) => sql`${revision} = ${number}`);
}

/** Cost groupings stay: the figures of an archived session are complete. */
const PRUNED_TABLES = REVISION_TABLES.filter((table) => table !== 'pull_requests');

/**
 * Removes the rows that can be derived again. The session, its statistics, summaries, totals and raw bytes stay, and so
 * does the record of who counts which API message: it must not be counted again in a fork.
 */
export async function pruneRows(engine: Engine, tx: Tx, claim: Claim, now: string): Promise<StateResult> {
  const { sessionId } = claim;
  await sql`
    INSERT INTO archived_usage (usage_key, session_id, counted)
    SELECT m.usage_key, s.id, m.counted
    FROM sessions s JOIN transcript_messages m ON m.session_id = s.id AND m.revision = s.revision
    WHERE s.id = ${sessionId} AND m.usage_key IS NOT NULL
    ON CONFLICT DO NOTHING`.execute(tx);
  const answer = await changeState(tx, {
    sessionId,
    to: 'archived',
    parseStatus: 'completed',
    set: { archived_at: now },
    claim,
    now,
  });
  if (!answer.won) return answer;
  await deleteRevisions(tx, [sessionId], () => sql`TRUE`, PRUNED_TABLES);
  await removeSessionFromIndex(engine, tx, sessionId);
  // There is nothing left to index.
  await tx
    .updateTable('sessions')
    .set(({ ref }) => ({ indexed_revision: ref('revision'), indexed_version: ref('rows_version') }))
    .where('id', '=', sessionId)
    .execute();
  return answer;
}

/** Finds sessions that may be archived: ended before then, parsed to the last byte, and not pinned. Oldest first. */
export async function findSessionsToArchive(db: Tx, endedBefore: string, limit: number) {
  return db
    .selectFrom('sessions as s')
    .leftJoin('session_pins as p', 'p.session_id', 's.id')
    .select(['s.id', 's.title', 's.ended_at', 's.total_messages'])
    .where('s.lifecycle', 'in', ['parsed', 'summarized'])
    .whereRef('s.captured_version', '=', 's.parsed_version')
    .where('s.ended_at', '<', endedBefore)
    .where('p.session_id', 'is', null)
    .orderBy('s.ended_at')
    .orderBy('s.id')
    .limit(limit)
    .execute();
}
