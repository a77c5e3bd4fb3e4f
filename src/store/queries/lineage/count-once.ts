import { sql } from 'kysely';
import type { Tx } from '../../engine.ts';
import { fewLengths, inParts } from '../../sql.ts';
import { noteAnyChange } from '../transcript/row-changes.ts';
import { sumSessions } from '../usage/session-usage.ts';

/** What a session shared with others before it was reparsed. */
interface FormerLinks {
  readonly usageKeys: readonly string[];
  readonly firstMessageId: string | null;
}

/** By session. Sessions without relatives, which is the usual case, are missing. */
type FormerLinksBySession = ReadonlyMap<string, FormerLinks>;

/** Must be read before the rows are swapped. */
export async function readFormerLinks(tx: Tx, sessionIds: readonly string[]): Promise<FormerLinksBySession> {
  const links = new Map<string, FormerLinks>();
  for (const id of await findRelated(tx, sessionIds)) links.set(id, await readLinks(tx, id));
  return links;
}

async function readLinks(tx: Tx, sessionId: string): Promise<FormerLinks> {
  const keys = await sql<{ usage_key: string }>`
    SELECT DISTINCT m.usage_key FROM sessions s
    JOIN transcript_messages m ON m.session_id = s.id AND m.revision = s.revision
    WHERE s.id = ${sessionId} AND m.usage_key IS NOT NULL`.execute(tx);
  return {
    usageKeys: keys.rows.map(({ usage_key }) => usage_key),
    firstMessageId: await readFirstMessage(tx, sessionId),
  };
}

async function readFirstMessage(tx: Tx, sessionId: string): Promise<string | null> {
  const row = await tx
    .selectFrom('session_lineage')
    .select('first_message_id')
    .where('session_id', '=', sessionId)
    .executeTakeFirst();
  return row?.first_message_id ?? null;
}

/**
 * Computes the totals of sessions that were just parsed. A message that another session counts is not counted again, so
 * sums over all sessions are correct at once. Which session of a family should count it is decided when the family is
 * settled (settle-families.ts): once for all its parsed sessions, since that reads the whole family.
 */
export async function countParsed(tx: Tx, sessionIds: readonly string[], former: FormerLinksBySession): Promise<void> {
  const related = await findRelated(tx, sessionIds);
  // One after the other: of two new sessions with the same message, the second must see that the first leaves it.
  for (const id of related) await leaveToOthers(tx, id);
  await markUnsettled(tx, [...new Set([...related, ...(await findCopies(tx, sessionIds))])]);
  for (const [id, links] of former) await markLeftBehind(tx, id, links);
  await sumSessions(tx, sessionIds);
}

/** Returns those of the sessions of which another one contains an API message or starts with the same message. */
async function findRelated(tx: Tx, sessionIds: readonly string[]): Promise<readonly string[]> {
  if (sessionIds.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    SELECT s.id FROM sessions s WHERE s.id IN (${sql.join(fewLengths(sessionIds))}) AND (EXISTS (
      SELECT 1 FROM session_lineage mine
      JOIN session_lineage other ON other.first_message_id = mine.first_message_id AND other.session_id <> mine.session_id
      WHERE mine.session_id = s.id
    ) OR EXISTS (
      SELECT 1 FROM transcript_messages mine
      WHERE mine.session_id = s.id AND mine.revision = s.revision AND mine.usage_key IS NOT NULL AND (
        EXISTS (SELECT 1 FROM transcript_messages other
          WHERE other.usage_key = mine.usage_key AND other.session_id <> s.id)
        OR EXISTS (SELECT 1 FROM archived_usage a
          WHERE a.usage_key = mine.usage_key AND a.session_id <> s.id)
      )
    )) ORDER BY s.id`.execute(tx);
  return rows.map(({ id }) => id);
}

/** Sessions whose rows were built as those of a copy; without the original they are none. */
async function findCopies(tx: Tx, sessionIds: readonly string[]): Promise<readonly string[]> {
  const rows = await tx
    .selectFrom('session_lineage')
    .select('session_id as id')
    .where('session_id', 'in', fewLengths(sessionIds))
    .where('parent_session_id', 'is not', null)
    .execute();
  return rows.map(({ id }) => id);
}

async function leaveToOthers(tx: Tx, sessionId: string): Promise<void> {
  const { numAffectedRows = 0n } = await sql`
    UPDATE transcript_messages SET counted = FALSE
    WHERE session_id = ${sessionId} AND counted AND usage_key IS NOT NULL AND (
      EXISTS (SELECT 1 FROM transcript_messages other
        JOIN sessions o ON o.id = other.session_id AND o.revision = other.revision
        WHERE other.usage_key = transcript_messages.usage_key AND other.counted AND other.session_id <> ${sessionId})
      OR EXISTS (SELECT 1 FROM archived_usage a
        WHERE a.usage_key = transcript_messages.usage_key AND a.counted AND a.session_id <> ${sessionId})
    )`.execute(tx);
  if (numAffectedRows > 0n) await noteAnyChange(tx, sessionId);
}

async function markUnsettled(tx: Tx, sessionIds: readonly string[]): Promise<void> {
  if (sessionIds.length === 0) return;
  await tx
    .updateTable('session_lineage')
    .set({ needs_settling: true })
    .where('session_id', 'in', fewLengths(sessionIds))
    .where('needs_settling', '=', false)
    .execute();
}

/** Removes a session; those that share something with it are settled again, and its copies become originals. */
export async function leaveFamily(tx: Tx, sessionId: string, remove: () => Promise<void>): Promise<void> {
  const former = await readFormerLinks(tx, [sessionId]);
  await remove();
  for (const [id, links] of former) await markLeftBehind(tx, id, links);
  await tx
    .updateTable('session_lineage')
    .set({ needs_settling: true })
    .where((where) => where.or([where('parent_session_id', '=', sessionId), where('cleared_from', '=', sessionId)]))
    .execute();
}

/** Sessions that shared something this one no longer contains; they may have to count it now. */
async function markLeftBehind(tx: Tx, sessionId: string, former: FormerLinks): Promise<void> {
  const still = new Set((await readLinks(tx, sessionId)).usageKeys);
  const lost = former.usageKeys.filter((key) => !still.has(key));
  for (const some of inParts(lost)) {
    const { rows } = await sql<{ id: string }>`
      SELECT DISTINCT session_id AS id FROM transcript_messages
      WHERE usage_key IN (${sql.join(some)})`.execute(tx);
    await markUnsettled(
      tx,
      rows.map(({ id }) => id),
    );
  }
  const first = former.firstMessageId;
  if (first === null || first === (await readFirstMessage(tx, sessionId))) return;
  await tx.updateTable('session_lineage').set({ needs_settling: true }).where('first_message_id', '=', first).execute();
}
