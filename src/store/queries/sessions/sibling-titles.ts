import { sql } from 'kysely';
import type { Tx } from '../../engine.ts';
import { fewLengths } from '../../sql.ts';
import { humanTitle } from '../summaries/summaries.ts';

/**
 * Clients up to 2.1.29 wrote the title of a conversation into the next file they opened: a summary line there names the
 * last line (the leaf) of the conversation it is about. Either of the two sessions may be parsed first.
 */
export async function settleSiblingTitles(tx: Tx, sessionIds: readonly string[], now: string): Promise<void> {
  const named = await findNamedSessions(tx, sessionIds);
  const titled = await findTitledSessions(tx, [...new Set([...sessionIds, ...named])]);
  for (const id of titled) await refreshSiblingTitle(tx, id, now);
}

/** Sessions that have such a title or may get one; most have none. */
async function findTitledSessions(tx: Tx, sessionIds: readonly string[]): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT s.id FROM sessions s
    WHERE s.id IN (${sql.join(fewLengths(sessionIds))}) AND (s.sibling_title IS NOT NULL OR EXISTS (
      SELECT 1 FROM transcript_messages m JOIN leaf_titles t ON t.leaf_uuid = m.leaf_uuid
      WHERE m.session_id = s.id AND m.revision = s.revision AND m.leaf_uuid IS NOT NULL))
    ORDER BY s.id`.execute(tx);
  return rows.map(({ id }) => id);
}

/** Sessions that the titles in the current rows of these refer to. */
async function findNamedSessions(tx: Tx, sessionIds: readonly string[]): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT DISTINCT m.session_id AS id
    FROM leaf_titles t
    JOIN sessions h ON h.id = t.session_id AND h.revision = t.revision
    JOIN transcript_messages m ON m.leaf_uuid = t.leaf_uuid
    WHERE t.session_id IN (${sql.join(fewLengths(sessionIds))}) ORDER BY id`.execute(tx);
  return rows.map(({ id }) => id);
}

/** The title for the latest leaf counts. A session whose title changed is summarized and indexed again. */
async function refreshSiblingTitle(tx: Tx, sessionId: string, now: string): Promise<void> {
  const { rows } = await sql<{ title: string }>`
    SELECT t.title
    FROM sessions s
    JOIN transcript_messages m ON m.session_id = s.id AND m.revision = s.revision AND m.leaf_uuid IS NOT NULL
    JOIN leaf_titles t ON t.leaf_uuid = m.leaf_uuid AND t.session_id <> s.id
    JOIN sessions h ON h.id = t.session_id AND h.revision = t.revision
    WHERE s.id = ${sessionId}
    ORDER BY m.ordinal DESC, t.session_id DESC, t.position DESC LIMIT 1`.execute(tx);
  const title = rows[0]?.title ?? null;
  await tx
    .updateTable('sessions')
    .set({
      sibling_title: title,
      title: sql`CASE WHEN summary_kind IS NULL AND client_title IS NULL THEN coalesce(${humanTitle(sessionId)}, ${title}, title) ELSE title END`,
      rows_version: sql`CASE WHEN client_title IS NULL THEN rows_version + 1 ELSE rows_version END`,
      updated_at: now,
    })
    .where('id', '=', sessionId)
    .where(sql<boolean>`coalesce(sibling_title, '') <> ${title ?? ''}`)
    .execute();
}
