import { sql } from 'kysely';
import { type FamilySettlement, settleFamily } from '../../../domain/family.ts';
import { compareUsage } from '../../../domain/usage.ts';
import type { Tx } from '../../engine.ts';
import { safeSum, safeSumOrZero } from '../../safe-sum.ts';
import { countedUsage } from './counted-usage.ts';
import { comparedFigures, type FamilyMessage, loadFamilyMessages, loadSigns } from './family-rows.ts';
import { saveCopies } from './lineage.ts';
import { rollUpUsage } from '../usage/rollups.ts';

/** A family larger than this is counted as far as it was followed; none seen has more than a dozen members. */
const MAX_FAMILY_SESSIONS = 500;

/**
 * Decides anew which session of a family counts which message and which of them are copies, and sums up every session of
 * it. `formerRelatives` held messages of this session before it was parsed again: what it no longer holds, they may
 * count again. Sessions that turn out to descend otherwise than their rows say are marked to be parsed again.
 */
export async function countOnce(tx: Tx, sessionId: string, formerRelatives: readonly string[]): Promise<void> {
  const settled = new Set<string>();
  for (const start of [sessionId, ...formerRelatives]) {
    if (settled.has(start)) continue;
    const family = await findFamily(tx, start);
    await settle(tx, family);
    for (const member of family) {
      await sumUsage(tx, member);
      await rollUpUsage(tx, member);
      settled.add(member);
    }
  }
}

async function settle(tx: Tx, family: readonly string[]): Promise<void> {
  const archived = await findArchivedKeys(tx, family);
  const isAlone = family.length === 1 && archived.size === 0;
  const messages = isAlone ? [] : await loadFamilyMessages(tx, family);
  const settlement = settleFamily(messages, isAlone ? new Map() : await loadSigns(tx, family), archived);
  for (const member of family) await setCounted(tx, member, messages, settlement);
  await adoptFullest(tx, family, messages, settlement);
  await saveCopies(tx, family, settlement, messages, new Set(archived.values()));
}

/** The session and all that share a message with it, directly or through others. */
async function findFamily(tx: Tx, sessionId: string): Promise<string[]> {
  const family = [sessionId];
  const known = new Set(family);
  for (let at = 0; at < family.length && family.length < MAX_FAMILY_SESSIONS; at++) {
    for (const relative of await findRelatives(tx, family[at] as string)) {
      if (known.has(relative)) continue;
      known.add(relative);
      family.push(relative);
    }
  }
  return family.toSorted();
}

/** Sessions that hold an API message of this one, or begin with the same message. */
export async function findRelatives(tx: Tx, sessionId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT other.session_id AS id
    FROM sessions s
    JOIN transcript_messages mine ON mine.session_id = s.id AND mine.revision = s.revision
    JOIN transcript_messages other ON other.usage_key = mine.usage_key AND other.session_id <> s.id
    JOIN sessions o ON o.id = other.session_id AND o.revision = other.revision
    WHERE s.id = ${sessionId} AND mine.usage_key IS NOT NULL
    UNION
    SELECT other.session_id AS id
    FROM session_lineage mine
    JOIN session_lineage other ON other.first_message_id = mine.first_message_id AND other.session_id <> mine.session_id
    JOIN sessions o ON o.id = other.session_id AND o.lifecycle <> 'archived'
    WHERE mine.session_id = ${sessionId}`.execute(tx);
  return rows.map(({ id }) => id);
}

/** API messages of the family that an archived session counts: it keeps them, since its rows are no longer here to compare. */
async function findArchivedKeys(tx: Tx, family: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ usage_key: string; session_id: string }>`
    SELECT DISTINCT a.usage_key, a.session_id
    FROM sessions s
    JOIN transcript_messages m ON m.session_id = s.id AND m.revision = s.revision
    JOIN archived_usage a ON a.usage_key = m.usage_key AND a.session_id <> s.id
    WHERE s.id IN (${sql.join(family)}) AND a.counted`.execute(tx);
  return new Map(rows.map(({ usage_key, session_id }) => [usage_key, session_id]));
}

const ORDINALS_PER_STATEMENT = 500;

async function setCounted(
  tx: Tx,
  sessionId: string,
  messages: readonly FamilyMessage[],
  { owners }: FamilySettlement,
): Promise<void> {
  const own = messages.filter((message) => message.sessionId === sessionId && message.usageKey !== null);
  for (const counted of [true, false]) {
    const ordinals = own
      .filter(({ usageKey }) => ((owners.get(usageKey as string) ?? sessionId) === sessionId) === counted)
      .map(({ ordinal }) => ordinal);
    for (let at = 0; at < ordinals.length; at += ORDINALS_PER_STATEMENT) {
      await tx
        .updateTable('transcript_messages')
        .set({ counted })
        .where('session_id', '=', sessionId)
        .where('ordinal', 'in', ordinals.slice(at, at + ORDINALS_PER_STATEMENT))
        .where('counted', '<>', counted)
        .execute();
    }
  }
}

/** A copy that was made while a message streamed can be shorter than the original, or fuller: the fullest one counts. */
async function adoptFullest(
  tx: Tx,
  family: readonly string[],
  messages: readonly FamilyMessage[],
  { owners }: FamilySettlement,
): Promise<void> {
  await tx
    .deleteFrom('adopted_usage')
    .where('session_id', 'in', [...family])
    .execute();
  const held = Map.groupBy(
    messages.filter(({ usageKey }) => usageKey !== null),
    ({ usageKey }) => usageKey as string,
  );
  for (const [usageKey, copies] of held) {
    const owner = owners.get(usageKey);
    const own = copies.find(({ sessionId }) => sessionId === owner);
    if (owner === undefined || own === undefined) continue;
    const fullest = copies.reduce((a, b) => (isFuller(b, a) ? b : a), own);
    if (fullest === own) continue;
    const { model, tokens_in, tokens_out, cache_read, cache_write, cache_write_1h, cost_nanos } = fullest.usage;
    const figures = { model, tokens_in, tokens_out, cache_read, cache_write, cache_write_1h, cost_nanos };
    await tx
      .insertInto('adopted_usage')
      .values({ session_id: owner, usage_key: usageKey, ...figures })
      .execute();
  }
}

function isFuller(a: FamilyMessage, b: FamilyMessage): boolean {
  return compareUsage(comparedFigures(a), comparedFigures(b)) > 0;
}

/** Token and money columns of a session from the messages it counts; cost is unknown where no message has a price. */
async function sumUsage(tx: Tx, sessionId: string): Promise<void> {
  await sql`
    UPDATE sessions SET
      tokens_in = u.tokens_in, tokens_out = u.tokens_out, cache_read_tokens = u.cache_read,
      cache_write_tokens = u.cache_write, cost_nanos = CASE WHEN u.messages = 0 THEN 0 ELSE u.cost_nanos END
    FROM (
      SELECT count(*) AS messages, ${safeSumOrZero(sql`m.tokens_in`)} AS tokens_in,
        ${safeSumOrZero(sql`m.tokens_out`)} AS tokens_out, ${safeSumOrZero(sql`m.cache_read`)} AS cache_read,
        ${safeSumOrZero(sql`m.cache_write`)} AS cache_write, ${safeSum(sql`m.cost_nanos`)} AS cost_nanos
      FROM ${countedUsage(sessionId)}
    ) AS u
    WHERE sessions.id = ${sessionId}`.execute(tx);
}
