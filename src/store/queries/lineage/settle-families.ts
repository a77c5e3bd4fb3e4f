import { sql } from 'kysely';
import { type FamilySettlement, settleFamily } from '../../../domain/family.ts';
import { comparableId, type SessionSigns, type SharedMessage, stepOf } from '../../../domain/ownership.ts';
import type { MessageOrigin } from '../../../domain/transcript.ts';
import { type ComparedUsage, compareUsage } from '../../../domain/usage.ts';
import type { Engine, Tx } from '../../engine.ts';
import { fewLengths, inParts, ofCurrentRevision } from '../../sql.ts';
import { settleOwnClears } from '../sessions/clears.ts';
import { noteAnyChange } from '../transcript/row-changes.ts';
import { sumSessions } from '../usage/session-usage.ts';
import { saveCopies } from './lineage.ts';

/** A larger family is settled in parts of this many sessions; none seen so far has more than a dozen. */
const MAX_FAMILY_SESSIONS = 2_000;

/**
 * Decides which session of a family counts which message and which of them are copies, and recomputes the totals of
 * affected sessions. Sessions whose rows disagree are marked for parsing. Handles one family with a session that was
 * parsed since it was last settled; false when there is none.
 */
export async function settleNextFamily(engine: Engine): Promise<boolean> {
  if ((await findUnsettledFamily(engine.kysely)) === null) return false;
  await engine.transaction(async (tx) => {
    // Before locking any session row: a transaction with this lock waits for such rows.
    await engine.oneAtATime(tx, 'counting');
    const start = await findUnsettledFamily(tx);
    if (start !== null) await settle(tx, await findFamily(tx, start));
  });
  return true;
}

/** One of its sessions; null when all families are settled. */
export async function findUnsettledFamily(db: Tx): Promise<string | null> {
  const { rows } = await sql<{ session_id: string }>`
    SELECT session_id FROM session_lineage WHERE needs_settling ORDER BY session_id LIMIT 1`.execute(db);
  return rows[0]?.session_id ?? null;
}

async function settle(tx: Tx, family: readonly string[]): Promise<void> {
  const elsewhere = await findCountedElsewhere(tx, family);
  const isAlone = family.length === 1 && elsewhere.size === 0;
  const messages = isAlone ? [] : await loadFamilyMessages(tx, family);
  const settlement = settleFamily(messages, isAlone ? new Map() : await loadSigns(tx, family), elsewhere);
  const recounted = await setCounted(tx, messages, settlement);
  const adopted = await adoptFullest(tx, family, messages, settlement);
  await sumSessions(tx, [...new Set([...recounted, ...adopted])]);
  await saveCopies(tx, family, settlement, messages, new Set(elsewhere.values()));
  await settleOwnClears(tx, family);
  await tx
    .updateTable('session_lineage')
    .set({ needs_settling: false })
    .where('session_id', 'in', [...family])
    .where('needs_settling', '=', true)
    .execute();
}

/** The session and all that share a message with it, directly or transitively; found breadth first. */
async function findFamily(tx: Tx, sessionId: string): Promise<readonly string[]> {
  const family = new Set([sessionId]);
  for (let ring = [sessionId]; ring.length > 0 && family.size < MAX_FAMILY_SESSIONS; ) {
    const found = await findRelatives(tx, ring);
    ring = found.filter((id) => !family.has(id)).slice(0, MAX_FAMILY_SESSIONS - family.size);
    for (const id of ring) family.add(id);
  }
  return [...family].toSorted();
}

/** Sessions that contain an API message of one of these or start with the same message; includes these. */
async function findRelatives(tx: Tx, sessionIds: readonly string[]): Promise<readonly string[]> {
  const these = sql.join(fewLengths(sessionIds));
  const { rows } = await sql<{ id: string }>`
    SELECT other.session_id AS id
    FROM transcript_messages other
    JOIN sessions o ON o.id = other.session_id AND o.revision = other.revision
    WHERE other.usage_key IN (
      SELECT mine.usage_key FROM sessions s
      JOIN transcript_messages mine ON mine.session_id = s.id AND mine.revision = s.revision
      WHERE s.id IN (${these}) AND mine.usage_key IS NOT NULL)
    UNION
    SELECT other.session_id AS id
    FROM session_lineage other
    JOIN sessions o ON o.id = other.session_id AND o.lifecycle <> 'archived'
    WHERE other.first_message_id IN (SELECT first_message_id FROM session_lineage WHERE session_id IN (${these}))
    ORDER BY id`.execute(tx);
  return rows.map(({ id }) => id);
}

/**
 * API messages of the family that a session outside it counts and will keep counting: an archived session, whose rows
 * no longer exist to compare, or one that did not fit into the family limit.
 */
async function findCountedElsewhere(tx: Tx, family: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const held = sql`SELECT m.usage_key FROM sessions s
    JOIN transcript_messages m ON m.session_id = s.id AND m.revision = s.revision
    WHERE s.id IN (${sql.join(family)}) AND m.usage_key IS NOT NULL`;
  const beyond = sql`UNION SELECT m.usage_key, m.session_id FROM transcript_messages m
    JOIN sessions s ON s.id = m.session_id AND s.revision = m.revision
    WHERE m.counted AND m.usage_key IN (${held}) AND m.session_id NOT IN (${sql.join(family)})`;
  const { rows } = await sql<{ usage_key: string; session_id: string }>`
    SELECT a.usage_key, a.session_id FROM archived_usage a
    WHERE a.counted AND a.usage_key IN (${held}) AND a.session_id NOT IN (${sql.join(family)})
    ${family.length < MAX_FAMILY_SESSIONS ? sql`` : beyond}`.execute(tx);
  return new Map(rows.map(({ usage_key, session_id }) => [usage_key, session_id]));
}

/** Returns the sessions for which any message changed between counted and not counted. */
async function setCounted(
  tx: Tx,
  messages: readonly FamilyMessage[],
  { owners }: FamilySettlement,
): Promise<readonly string[]> {
  const isOwned = ({ sessionId, usageKey }: FamilyMessage) =>
    (owners.get(usageKey as string) ?? sessionId) === sessionId;
  const wrong = messages.filter((message) => message.usageKey !== null && message.isCounted !== isOwned(message));
  const bySession = Map.groupBy(wrong, ({ sessionId }) => sessionId);
  for (const [sessionId, own] of bySession) {
    for (const counted of [true, false]) {
      const ordinals = own.filter(({ isCounted }) => isCounted !== counted).map(({ ordinal }) => ordinal);
      await setCountedAt(tx, sessionId, ordinals, counted);
    }
    await noteAnyChange(tx, sessionId);
  }
  return [...bySession.keys()];
}

async function setCountedAt(tx: Tx, sessionId: string, ordinals: readonly number[], counted: boolean): Promise<void> {
  for (const some of inParts(ordinals)) {
    await tx
      .updateTable('transcript_messages')
      .set({ counted })
      .where('session_id', '=', sessionId)
      .where('ordinal', 'in', some)
      .execute();
  }
}

/**
 * A copy made while a message streamed can be shorter or more complete than the original: the most complete one counts.
 * Returns the sessions whose counted usage changed.
 */
async function adoptFullest(
  tx: Tx,
  family: readonly string[],
  messages: readonly FamilyMessage[],
  { owners }: FamilySettlement,
): Promise<readonly string[]> {
  const former = await tx
    .deleteFrom('adopted_usage')
    .where('session_id', 'in', [...family])
    .returning('session_id')
    .execute();
  const changed = new Set(former.map(({ session_id }) => session_id));
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
    changed.add(owner);
  }
  return [...changed];
}

function isFuller(a: FamilyMessage, b: FamilyMessage): boolean {
  return compareUsage(comparedFigures(a), comparedFigures(b)) > 0;
}

/** A message of a family with the usage that is compared between copies. */
export interface FamilyMessage extends SharedMessage {
  readonly isCounted: boolean;
  readonly usage: StoredUsage;
}

interface StoredUsage {
  readonly model: string | null;
  readonly tokens_in: number | null;
  readonly tokens_out: number | null;
  readonly cache_read: number | null;
  readonly cache_write: number | null;
  readonly cache_write_1h: number | null;
  readonly cost_nanos: number | null;
  readonly rate_id: string | null;
}

export async function loadFamilyMessages(db: Tx, family: readonly string[]): Promise<readonly FamilyMessage[]> {
  const rows = await db
    .selectFrom('transcript_messages as m')
    .innerJoin('sessions as s', ofCurrentRevision('m'))
    .select(['m.session_id', 'm.ordinal', 'm.id', 'm.uuid', 'm.agent_id', 'm.usage_key', 'm.timestamp', 'm.origin'])
    .select(['m.copied_from', 'm.line_number', 'm.model', 'm.tokens_in', 'm.tokens_out', 'm.cache_read'])
    .select(['m.cache_write', 'm.cache_write_1h', 'm.cost_nanos', 'm.rate_id', 'm.counted'])
    .where('m.session_id', 'in', [...family])
    .execute();
  return rows.map((row) => ({
    sessionId: row.session_id,
    ordinal: row.ordinal,
    id: comparableId(row.session_id, row),
    isMainThread: row.agent_id === null,
    usageKey: row.usage_key,
    timestampMs: row.timestamp === null ? null : Date.parse(row.timestamp),
    isInherited: row.copied_from !== null,
    copiedFrom: row.copied_from,
    lineNumber: row.line_number,
    step: stepOf(row.origin as MessageOrigin),
    isCounted: Boolean(row.counted),
    usage: row,
  }));
}

/** Usage values in the order in which copies are compared. */
export function comparedFigures({ usage }: FamilyMessage): ComparedUsage {
  const cacheWrite1h = usage.cache_write_1h ?? 0;
  const rateId = usage.rate_id ?? '';
  return {
    input: usage.tokens_in ?? 0,
    output: usage.tokens_out ?? 0,
    cacheRead: usage.cache_read ?? 0,
    cacheWrite5m: (usage.cache_write ?? 0) - cacheWrite1h,
    cacheWrite1h,
    webSearches: 0,
    isFast: rateId.includes('+fast'),
    isBatch: rateId.includes('+batch'),
    isUsOnly: rateId.includes('+us'),
  };
}

/** Facts about sessions beyond their lines: how their files started, what hooks reported, when they were archived. */
export async function loadSigns(db: Tx, sessionIds: readonly string[]): Promise<ReadonlyMap<string, SessionSigns>> {
  if (sessionIds.length === 0) return new Map();
  const { rows } = await sql<{ id: string; lead_ms: number | null; forks: number; archived_at: string | null }>`
    SELECT s.id, l.lead_ms,
      (SELECT count(*) FROM events e
        WHERE e.session_id = s.id AND e.type = 'session.start' AND e.data ->> 'source' = 'fork') AS forks,
      (SELECT min(f.first_seen_at) FROM source_files f WHERE f.session_id = s.id AND f.kind = 'main') AS archived_at
    FROM sessions s LEFT JOIN session_lineage l ON l.session_id = s.id
    WHERE s.id IN (${sql.join(fewLengths(sessionIds))})`.execute(db);
  return new Map(
    rows.map(({ id, lead_ms, forks, archived_at }) => [
      id,
      {
        leadMs: lead_ms,
        isFork: forks > 0,
        firstArchivedMs: archived_at === null ? null : Date.parse(archived_at),
      },
    ]),
  );
}

/** Which sessions outside the scan contain these API messages. */
export async function loadHoldersBeyond(
  db: Tx,
  scanned: ReadonlySet<string>,
): Promise<readonly { readonly session_id: string; readonly usage_key: string }[]> {
  const rows = await db
    .selectFrom('transcript_messages as m')
    .innerJoin('sessions as s', ofCurrentRevision('m'))
    .select(['m.session_id', 'm.usage_key'])
    .where('m.usage_key', 'is not', null)
    .execute();
  return rows.flatMap(({ session_id, usage_key }) =>
    usage_key === null || scanned.has(session_id) ? [] : [{ session_id, usage_key }],
  );
}
