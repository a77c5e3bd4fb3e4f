import { sql } from 'kysely';
import { chooseOwners, type SharedMessage } from '../../domain/ownership.ts';
import type { Tx } from '../engine.ts';
import { safeSum, safeSumOrZero } from '../safe-sum.ts';
import { rollUpUsage } from './rollups.ts';

/** A family larger than this is counted as far as it was followed; none seen has more than a dozen members. */
const MAX_FAMILY_SESSIONS = 500;

/**
 * Decides anew which session of a family counts which message, and sums up every session of it. `formerRelatives` held
 * messages of this session before it was parsed again: what it no longer holds, they may count again.
 */
export async function countOnce(tx: Tx, sessionId: string, formerRelatives: readonly string[]): Promise<void> {
  const settled = new Set<string>();
  for (const start of [sessionId, ...formerRelatives]) {
    if (settled.has(start)) continue;
    const family = await findFamily(tx, start);
    const archived = await findArchivedKeys(tx, family);
    const isNewAndAlone = family.length === 1 && start === sessionId && archived.size === 0;
    if (!isNewAndAlone) await shareOut(tx, family, archived);
    for (const member of family) {
      await sumUsage(tx, member);
      await rollUpUsage(tx, member);
    }
    for (const member of family) settled.add(member);
  }
}

/** The session and all that share an API message with it, directly or through others. */
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

/** Sessions that hold an API message of this one. */
export async function findRelatives(tx: Tx, sessionId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT DISTINCT other.session_id AS id
    FROM sessions s
    JOIN transcript_messages mine ON mine.session_id = s.id AND mine.revision = s.revision
    JOIN transcript_messages other ON other.usage_key = mine.usage_key AND other.session_id <> s.id
    JOIN sessions o ON o.id = other.session_id AND o.revision = other.revision
    WHERE s.id = ${sessionId} AND mine.usage_key IS NOT NULL`.execute(tx);
  return rows.map(({ id }) => id);
}

/** API messages of the family that an archived session counts: it keeps them, since its rows are no longer here to compare. */
async function findArchivedKeys(tx: Tx, family: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ usage_key: string }>`
    SELECT DISTINCT a.usage_key
    FROM sessions s
    JOIN transcript_messages m ON m.session_id = s.id AND m.revision = s.revision
    JOIN archived_usage a ON a.usage_key = m.usage_key AND a.session_id <> s.id
    WHERE s.id IN (${sql.join(family)}) AND a.counted`.execute(tx);
  return new Set(rows.map(({ usage_key }) => usage_key));
}

async function shareOut(tx: Tx, family: readonly string[], archived: ReadonlySet<string>): Promise<void> {
  const messages = await loadMessages(tx, family);
  const owners = chooseOwners(messages);
  const isForeign = (member: string, key: string) => {
    const owner = owners.get(key);
    return archived.has(key) || (owner !== undefined && owner !== member);
  };
  for (const member of family) {
    const foreign = messages
      .filter(({ sessionId, usageKey }) => sessionId === member && usageKey !== null && isForeign(member, usageKey))
      .map(({ ordinal }) => ordinal);
    await setCounted(tx, member, new Set(foreign), messages);
  }
}

async function loadMessages(tx: Tx, family: readonly string[]): Promise<SharedMessage[]> {
  const rows = await tx
    .selectFrom('transcript_messages as m')
    .innerJoin('sessions as s', (join) =>
      join.onRef('s.id', '=', 'm.session_id').onRef('s.revision', '=', 'm.revision'),
    )
    .select(['m.session_id', 'm.ordinal', 'm.id', 'm.agent_id', 'm.usage_key', 'm.timestamp', 'm.is_inherited'])
    .where('m.session_id', 'in', [...family])
    .execute();
  return rows.map((row) => ({
    sessionId: row.session_id,
    ordinal: row.ordinal,
    id: row.id,
    isMainThread: row.agent_id === null,
    usageKey: row.usage_key,
    timestampMs: row.timestamp === null ? null : Date.parse(row.timestamp),
    isInherited: Boolean(row.is_inherited),
  }));
}

const ORDINALS_PER_STATEMENT = 500;

async function setCounted(
  tx: Tx,
  sessionId: string,
  foreign: ReadonlySet<number>,
  messages: readonly SharedMessage[],
): Promise<void> {
  const own = messages.filter((m) => m.sessionId === sessionId && m.usageKey !== null).map(({ ordinal }) => ordinal);
  for (const counted of [true, false]) {
    const ordinals = own.filter((ordinal) => foreign.has(ordinal) !== counted);
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
      FROM transcript_messages m JOIN sessions s ON s.id = m.session_id AND s.revision = m.revision
      WHERE s.id = ${sessionId} AND m.counted
    ) AS u
    WHERE sessions.id = ${sessionId}`.execute(tx);
}
