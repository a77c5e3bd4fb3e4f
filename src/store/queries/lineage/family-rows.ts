import { sql } from 'kysely';
import { comparableId, type SessionSigns, type SharedMessage, stepOf } from '../../../domain/ownership.ts';
import type { MessageOrigin } from '../../../domain/transcript.ts';
import type { ComparedUsage } from '../../../domain/usage.ts';
import type { Tx } from '../../engine.ts';

/** A message of a family with the usage that is compared between copies. */
export interface FamilyMessage extends SharedMessage {
  readonly isCounted: boolean;
  readonly usage: StoredUsage;
}

export interface StoredUsage {
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
    .innerJoin('sessions as s', (join) =>
      join.onRef('s.id', '=', 'm.session_id').onRef('s.revision', '=', 'm.revision'),
    )
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
    WHERE s.id IN (${sql.join(sessionIds)})`.execute(db);
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
    .innerJoin('sessions as s', (join) =>
      join.onRef('s.id', '=', 'm.session_id').onRef('s.revision', '=', 'm.revision'),
    )
    .select(['m.session_id', 'm.usage_key'])
    .where('m.usage_key', 'is not', null)
    .execute();
  return rows.flatMap(({ session_id, usage_key }) =>
    usage_key === null || scanned.has(session_id) ? [] : [{ session_id, usage_key }],
  );
}
