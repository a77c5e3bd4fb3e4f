import { type ExpressionBuilder, sql } from 'kysely';
import type { UsageCell } from '../../../domain/cost.ts';
import { NO_SLOT } from '../../../domain/usage.ts';
import type { Tx } from '../../engine.ts';
import type { Database } from '../../rows.ts';

/** How far the rollups are behind the archive, and how much of that can be computed from the transcripts on disk. */
export interface RollupState {
  /** Bytes of sessions that wait to be parsed, for the first time or again. */
  readonly waitingBytes: number;
  /** Sessions whose messages are in the rollups only. */
  readonly archivedSessions: number;
}

export async function readRollupState(
  db: Tx,
  versions: { readonly parserVersion: number; readonly priceBook: string | undefined },
): Promise<RollupState> {
  const waiting = await db
    .selectFrom('sessions as s')
    .innerJoin('source_files as f', 'f.session_id', 's.id')
    .select(({ fn }) => fn.coalesce(fn.sum<number>('f.seen_size'), sql.lit(0)).as('bytes'))
    .where((eb) => isBehind(eb, versions))
    .executeTakeFirstOrThrow();
  const { archived } = await db
    .selectFrom('sessions')
    .select(({ fn }) => fn.count<number>('archived_at').as('archived'))
    .executeTakeFirstOrThrow();
  return { waitingBytes: waiting.bytes, archivedSessions: archived };
}

type Sessions = Database & { s: Database['sessions'] };

/** Failed sessions are retried by the import; they would fail here again. */
function isBehind(
  { and, or, eb, ref }: ExpressionBuilder<Sessions, 's'>,
  { parserVersion, priceBook }: Parameters<typeof readRollupState>[1],
) {
  const isOutdated = [
    eb('s.parser_version', '<', parserVersion),
    ...(priceBook === undefined ? [] : [eb('s.price_book', '<>', priceBook)]),
  ];
  return and([
    eb('s.captured_version', '>', 0),
    eb('s.parse_status', '<>', 'failed'),
    or([
      eb('s.captured_version', '>', ref('s.parsed_version')),
      // The rollups of an archived session never change.
      and([or(isOutdated), eb('s.lifecycle', '<>', 'archived')]),
    ]),
  ]);
}

export interface SeenTranscript {
  readonly sizeBytes: number;
  readonly mtimeMs: number;
}

/** Size and time of a device's transcripts when they were last read, by Claude home and path. */
export async function loadSeenTranscripts(
  db: Tx,
  deviceId: string,
): Promise<ReadonlyMap<string, ReadonlyMap<string, SeenTranscript>>> {
  const rows = await db
    .selectFrom('source_files')
    .select(['root', 'path', 'seen_size', 'seen_mtime_ms'])
    .where('device_id', '=', deviceId)
    .where('kind', 'in', ['main', 'agent'])
    .where('state', '<>', 'gone')
    .execute();
  const seen = new Map<string, Map<string, SeenTranscript>>();
  for (const { root, path, seen_size, seen_mtime_ms } of rows)
    seen.set(root, (seen.get(root) ?? new Map()).set(path, { sizeBytes: seen_size, mtimeMs: seen_mtime_ms }));
  return seen;
}

/** Usage of API messages that `isElsewhere` does not know, one cell each. */
export async function loadCellsBeyond(
  db: Tx,
  isElsewhere: (id: string, requestId: string | null) => boolean,
): Promise<readonly UsageCell[]> {
  const rows = await db
    .selectFrom('transcript_messages as m')
    .innerJoin('sessions as s', (join) =>
      join.onRef('s.id', '=', 'm.session_id').onRef('s.revision', '=', 'm.revision'),
    )
    .select(['m.session_id', 'm.time_slot', 'm.model', 'm.git_branch', 'm.agent_id', 'm.api_message_id'])
    .select(['m.request_id', 'm.uuid', 'm.tokens_in', 'm.tokens_out', 'm.cache_read', 'm.cache_write'])
    .select(['m.cache_write_1h', 'm.cost_nanos'])
    .where('m.counted', '=', sql.lit(true))
    .execute();
  return rows
    .filter((row) => !isElsewhere(row.api_message_id ?? row.request_id ?? row.uuid ?? '', row.request_id))
    .map((row) => ({
      sessionId: row.session_id,
      slot: row.time_slot === NO_SLOT ? null : row.time_slot,
      model: row.model ?? '',
      branch: row.git_branch ?? '',
      isSubagent: row.agent_id !== null,
      messages: 1,
      unpricedMessages: row.cost_nanos === null ? 1 : 0,
      tokensIn: row.tokens_in ?? 0,
      tokensOut: row.tokens_out ?? 0,
      cacheRead: row.cache_read ?? 0,
      cacheWrite: row.cache_write ?? 0,
      cacheWrite1h: row.cache_write_1h ?? 0,
      costNanos: row.cost_nanos ?? 0,
    }));
}
