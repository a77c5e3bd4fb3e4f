import { sql } from 'kysely';
import { FuelError } from '../../domain/errors.ts';
import {
  DEFAULT_PAGE_ROWS,
  MAX_PAGE_ROWS,
  type SessionDetail,
  type SessionPage,
  type SessionQuery,
  type SessionRow,
} from '../../domain/query.ts';
import type { Lifecycle, ParseStatus } from '../../domain/session.ts';
import type { Tx } from '../engine.ts';
import { cleanText, readJson } from '../text.ts';

const SESSION_COLUMNS = [
  's.id',
  's.workspace_id',
  'w.display_name as workspace_name',
  's.device_id',
  'd.name as device_name',
  's.lifecycle',
  's.parse_status',
  's.parse_error',
  's.started_at',
  's.ended_at',
  's.end_reason',
  's.title',
  's.initial_prompt',
  's.summary',
  's.cwd',
  's.git_branch',
  's.model',
  's.models',
  's.source',
  's.cc_version',
  's.total_messages',
  's.user_messages',
  's.assistant_messages',
  's.tool_use_count',
  's.thinking_blocks',
  's.subagent_count',
  's.tokens_in',
  's.tokens_out',
  's.cache_read_tokens',
  's.cache_write_tokens',
  's.cost_estimate_usd',
  's.unknown_models',
  's.duration_ms',
  's.tags',
  's.metadata',
  's.remote_env_id',
  's.transcript_s3_key',
  's.created_at',
  's.updated_at',
] as const;

function selectSessions(db: Tx) {
  return db
    .selectFrom('sessions as s')
    .innerJoin('workspaces as w', 'w.id', 's.workspace_id')
    .innerJoin('devices as d', 'd.id', 's.device_id');
}

type RawSession = Awaited<ReturnType<typeof fetchOne>>;

function fetchOne(db: Tx) {
  return selectSessions(db).select(SESSION_COLUMNS).executeTakeFirstOrThrow();
}

function toSessionRow(raw: RawSession): SessionRow {
  return {
    ...raw,
    lifecycle: raw.lifecycle as Lifecycle,
    parse_status: raw.parse_status as ParseStatus,
    models: readJson(raw.models),
    unknown_models: readJson(raw.unknown_models),
    tags: readJson(raw.tags),
    metadata: readJson(raw.metadata),
  };
}

/** A page of sessions, newest first. Errors: usage for a cursor that is not ours. */
export async function listSessions(db: Tx, query: SessionQuery): Promise<SessionPage> {
  const limit = Math.min(query.limit ?? DEFAULT_PAGE_ROWS, MAX_PAGE_ROWS);
  let select = selectSessions(db)
    .select(SESSION_COLUMNS)
    .orderBy('s.started_at', 'desc')
    .orderBy('s.id', 'desc')
    .limit(limit + 1);
  if (query.lifecycle?.length) select = select.where('s.lifecycle', 'in', [...query.lifecycle]);
  if (query.workspaceId !== undefined) select = select.where('s.workspace_id', '=', query.workspaceId);
  if (query.deviceId !== undefined) select = select.where('s.device_id', '=', query.deviceId);
  if (query.cursor !== undefined) {
    const { startedAt, id } = decodeCursor(query.cursor);
    select = select.where(({ eb, and, or }) =>
      or([eb('s.started_at', '<', startedAt), and([eb('s.started_at', '=', startedAt), eb('s.id', '<', id)])]),
    );
  }
  const rows = (await select.execute()).map(toSessionRow);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasMore = rows.length > limit;
  return { sessions: page, next_cursor: hasMore && last ? encodeCursor(last) : null, has_more: hasMore };
}

export function encodeCursor(row: Pick<SessionRow, 'started_at' | 'id'>): string {
  return Buffer.from(JSON.stringify({ s: row.started_at, i: row.id })).toString('base64url');
}

export function decodeCursor(cursor: string): { readonly startedAt: string; readonly id: string } {
  try {
    const { s, i } = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as { s: unknown; i: unknown };
    if (typeof s === 'string' && typeof i === 'string' && new Date(s).toISOString() === s && !i.includes('\0')) {
      return { startedAt: s, id: i };
    }
  } catch {
    // Falls through to the one answer for every broken cursor.
  }
  throw new FuelError('usage', 'The cursor is not one that fuel-code gave out.', {
    hint: 'Leave the cursor out to start from the newest session.',
  });
}

const MAX_CANDIDATES = 5;

/** The session with this id, or the only one whose id begins so. Errors: not_found, ambiguous. */
export async function findSession(db: Tx, idOrPrefix: string): Promise<SessionRow> {
  const rows = await selectSessions(db)
    .select(SESSION_COLUMNS)
    .where(sql<boolean>`substr(s.id, 1, ${sql.lit(idOrPrefix.length)}) = ${cleanText(idOrPrefix)}`)
    .orderBy('s.id')
    .limit(MAX_CANDIDATES + 1)
    .execute();
  const exact = rows.find(({ id }) => id === idOrPrefix);
  const only = exact ?? (rows.length === 1 ? rows[0] : undefined);
  if (only) return toSessionRow(only);
  if (rows.length === 0) {
    throw new FuelError('not_found', `No session has an id that begins with ${JSON.stringify(idOrPrefix)}.`, {
      hint: '`fuel-code sessions` lists the ids; `fuel-code backfill` imports what is new.',
    });
  }
  const candidates = rows.slice(0, MAX_CANDIDATES).map(({ id }) => id);
  const more = rows.length > MAX_CANDIDATES ? ', …' : '';
  throw new FuelError('ambiguous', `Several sessions begin so: ${candidates.join(', ')}${more}.`, {
    hint: 'Give more characters of the id.',
  });
}

/** A session with its files and what was odd about its lines. Errors: not_found, ambiguous. */
export async function getSessionDetail(db: Tx, idOrPrefix: string): Promise<SessionDetail> {
  const session = await findSession(db, idOrPrefix);
  const parse = await db
    .selectFrom('sessions')
    .select(['lines', 'anomalies'])
    .where('id', '=', session.id)
    .executeTakeFirstOrThrow();
  const files = await db
    .selectFrom('source_files as f')
    .innerJoin('generations as g', (join) =>
      join.onRef('g.source_file_id', '=', 'f.id').onRef('g.number', '=', 'f.generation'),
    )
    .select(['f.path', 'f.kind', 'f.agent_id', 'g.size_bytes', 'f.generation as generations', 'g.sha256'])
    .where('f.session_id', '=', session.id)
    .orderBy('f.path')
    .execute();
  const lines = readJson<Partial<SessionDetail['lines']>>(parse.lines);
  return {
    ...session,
    files,
    lines: { total: 0, records: 0, salvaged: 0, skipped: 0, ...lines },
    anomalies: readJson(parse.anomalies),
  };
}
