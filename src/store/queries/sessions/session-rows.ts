import { sql } from 'kysely';
import type { BatchStatus, SessionDetail, SessionPage, SessionRow, SessionWork } from '../../../api/sessions.ts';
import { sessionDeleted } from '../../../domain/deletion.ts';
import { FuelError, refuseEmpty } from '../../../domain/errors.ts';
import { MAX_PAGE_ROWS } from '../../../domain/requests.ts';
import type { SessionSelection } from '../../../domain/search.ts';
import type { Lifecycle, ParseStatus } from '../../../domain/session.ts';
import { type GivenOrder, readListOrder } from '../../../domain/session-sort.ts';
import type { SummaryKind, WorkKind } from '../../../domain/summary.ts';
import { FAILED } from '../../../domain/transcript-structure.ts';
import type { Engine, Tx } from '../../engine.ts';
import { DEVICE_NAME, safeSumOrZero, startsWith } from '../../sql.ts';
import { cleanText, cutText, readJson } from '../../text.ts';
import { findDeletedByPrefix } from '../deletions/deletions.ts';
import { listNotes } from '../people/annotations.ts';
import { findTeamPlace } from '../transcript/teams.ts';
import { selectedSessions, showsUnprompted } from './field-conditions.ts';
import { IS_OWN_COMMIT, IS_UNPROMPTED, SESSION_IS } from './session-conditions.ts';
import { decodeSortPosition, encodeSortPosition, type SortPosition, sortedBy } from './session-order.ts';

const SESSION_COLUMNS = [
  's.id',
  's.workspace_id',
  'w.display_name as workspace_name',
  's.device_id',
  's.lifecycle',
  's.parse_status',
  's.parse_error',
  's.started_at',
  's.ended_at',
  's.end_reason',
  's.title',
  's.summary_kind',
  's.work_kind',
  's.cwd',
  's.git_branch',
  's.model',
  's.models',
  's.source',
  's.cc_version',
  's.service_tiers',
  's.speeds',
  's.inference_geos',
  's.web_searches',
  's.web_fetches',
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
  's.remote_env_id',
  's.created_at',
  's.updated_at',
] as const;

/** Columns that are not in the row itself. */
const OTHER_COLUMNS = [
  DEVICE_NAME.as('device_name'),
  sql<number>`CASE WHEN ${SESSION_IS.pinned} THEN 1 ELSE 0 END`.as('is_pinned'),
] as const;

const MAX_LISTED_CHARS = 300;

/** A list has no room for long texts, and converting them takes longer than everything else. */
function textColumns(isList: boolean) {
  const start = (column: string) => sql`substr(${sql.ref(column)}, 1, ${sql.lit(MAX_LISTED_CHARS + 1)})`;
  const text = (column: string) => sql<string | null>`${isList ? start(column) : sql.ref(column)}`;
  return [
    text('s.initial_prompt').as('initial_prompt'),
    text('s.summary').as('summary'),
    sql<string>`${isList ? sql`'{}'` : sql.ref('s.metadata')}`.as('metadata'),
  ] as const;
}

function selectSessions(db: Tx) {
  return db
    .selectFrom('sessions as s')
    .innerJoin('workspaces as w', 'w.id', 's.workspace_id')
    .innerJoin('devices as d', 'd.id', 's.device_id');
}

function selectRows(sessions: ReturnType<typeof selectSessions>, isList: boolean) {
  return sessions.select(SESSION_COLUMNS).select(textColumns(isList)).select(OTHER_COLUMNS);
}

type RawSession = Awaited<ReturnType<ReturnType<typeof selectRows>['executeTakeFirstOrThrow']>>;

function toSessionRow(raw: RawSession): SessionRow {
  return {
    ...raw,
    is_pinned: raw.is_pinned === 1,
    lifecycle: raw.lifecycle as Lifecycle,
    summary_kind: raw.summary_kind as SummaryKind | null,
    work_kind: raw.work_kind as WorkKind | null,
    parse_status: raw.parse_status as ParseStatus,
    models: readJson(raw.models),
    service_tiers: readJson(raw.service_tiers),
    speeds: readJson(raw.speeds),
    inference_geos: readJson(raw.inference_geos),
    unknown_models: readJson(raw.unknown_models),
    tags: readJson(raw.tags),
    metadata: readJson(raw.metadata),
    work: null,
  };
}

/** A page of the selected sessions, newest first unless sorted otherwise. Errors: usage for an invalid cursor. */
export async function listSessions(engine: Engine, query: SessionSelection & ListOptions): Promise<SessionPage> {
  const limit = Math.min(query.limit, MAX_PAGE_ROWS);
  const order = readListOrder(query);
  const sorted = sortedBy(engine, order);
  const position = query.cursor === undefined ? null : decodeSortPosition(order, query.cursor);
  const chosen = selectSessions(engine.kysely)
    .where(selectedSessions(engine, query))
    .$if(position !== null, (select) => select.where(sorted.isBeyond(position as SortPosition)))
    .orderBy(sorted.order)
    .limit(limit + 1);
  // Only ids are sorted: rows are wide. By time, an index has the order.
  const rowsOf =
    order.sort === 'time'
      ? chosen
      : selectSessions(engine.kysely).where('s.id', 'in', chosen.select('s.id')).orderBy(sorted.order);
  const found = await selectRows(rowsOf, query.fields === 'list')
    .select(sorted.key.as('sort_key'))
    .execute();
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  const rows = await withWork(
    engine.kysely,
    page.map(({ sort_key: _, ...raw }) => toSessionRow(raw)),
  );
  return {
    sessions: query.fields === 'list' ? rows.map(toListRow) : rows,
    next_cursor:
      last === undefined ? null : encodeSortPosition(order, { key: last.sort_key, at: last.started_at, id: last.id }),
    has_more: last !== undefined,
    hidden: showsUnprompted(query) ? 0 : await countHidden(engine, query),
  };
}

interface ListOptions extends GivenOrder {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly fields?: 'list' | undefined;
}

/** Truncated texts are marked. */
function toListRow(row: SessionRow): SessionRow {
  const cut = (text: string | null) => {
    if (text === null || text.length <= MAX_LISTED_CHARS) return text;
    return `${cutText(text, MAX_LISTED_CHARS - 1).text.trimEnd()}…`;
  };
  return { ...row, initial_prompt: cut(row.initial_prompt), summary: cut(row.summary) };
}

/** Archiving removes the rows that these figures are counted from. */
async function withWork(db: Tx, rows: readonly SessionRow[]): Promise<readonly SessionRow[]> {
  const kept = rows.filter(({ lifecycle }) => lifecycle !== 'archived');
  const work = await readSessionWork(
    db,
    kept.map(({ id }) => id),
  );
  return rows.map((row) => ({ ...row, work: work.get(row.id) ?? null }));
}

/** Results of these sessions: changed lines, commits and errors, without those copied from another session. */
async function readSessionWork(db: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, SessionWork>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ readonly id: string } & SessionWork>`
    SELECT s.id, coalesce(s.lines_added, 0) AS lines_added, coalesce(s.lines_removed, 0) AS lines_removed,
      (SELECT count(*) FROM git_activity x WHERE x.session_id = s.id AND ${IS_OWN_COMMIT}) AS commits,
      (SELECT ${safeSumOrZero(sql`x.calls`)} FROM call_sums x WHERE x.session_id = s.id AND x.revision = s.revision
        AND x.status = ${sql.lit(FAILED)} AND NOT x.is_inherited) AS failed_calls,
      (SELECT count(*) FROM api_errors x
        JOIN transcript_messages m ON m.session_id = x.session_id AND m.revision = x.revision AND m.id = x.message_id
        WHERE x.session_id = s.id AND x.revision = s.revision AND NOT m.is_inherited) AS api_errors
    FROM sessions s WHERE s.id IN (${sql.join(ids)})`.execute(db);
  return new Map(rows.map(({ id, ...work }) => [id, work]));
}

async function countHidden(engine: Engine, query: SessionSelection): Promise<number> {
  const { count } = await selectSessions(engine.kysely)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(selectedSessions(engine, { ...query, all: true }))
    .where(IS_UNPROMPTED)
    .executeTakeFirstOrThrow();
  return count;
}

/** States of the known sessions, and the ids of the unknown ones. */
export async function readStatuses(db: Tx, ids: readonly string[]): Promise<BatchStatus> {
  if (ids.length === 0) return { statuses: [], not_found: [] };
  const rows = await db
    .selectFrom('sessions')
    .select(['id', 'lifecycle', 'parse_status', 'parse_error'])
    .where('id', 'in', [...new Set(ids)])
    .orderBy('id')
    .execute();
  const known = new Set(rows.map(({ id }) => id));
  const statuses = rows.map((row) => ({
    ...row,
    lifecycle: row.lifecycle as Lifecycle,
    parse_status: row.parse_status as ParseStatus,
  }));
  return { statuses, not_found: [...new Set(ids)].filter((id) => !known.has(id)) };
}

const MAX_CANDIDATES = 5;

/** Finds a session by id or unique prefix. Errors: usage, not_found, ambiguous, gone. */
export async function findSession(db: Tx, idOrPrefix: string): Promise<SessionRow> {
  refuseEmpty(idOrPrefix, 'session id');
  const wanted = cleanText(idOrPrefix);
  const sessions = selectRows(selectSessions(db), false);
  // The complete id is the usual case; a prefix needs a scan of all sessions.
  const exact = await sessions.where('s.id', '=', wanted).executeTakeFirst();
  if (exact !== undefined) return toSessionRow(exact);
  const rows = await sessions
    .where(startsWith(sql.ref('s.id'), wanted))
    .orderBy('s.id')
    .limit(MAX_CANDIDATES + 1)
    .execute();
  const [only] = rows;
  if (only !== undefined && rows.length === 1) return toSessionRow(only);
  if (rows.length === 0) {
    const [deleted, other] = await findDeletedByPrefix(db, wanted);
    if (deleted !== undefined && other === undefined) throw sessionDeleted(deleted);
    throw new FuelError('not_found', `No session id starts with ${JSON.stringify(idOrPrefix)}.`, {
      hint: '`fuel-code sessions` lists the ids; `fuel-code backfill` imports new sessions.',
    });
  }
  const candidates = rows.slice(0, MAX_CANDIDATES).map(({ id, title }) => `${id} (${shortTitle(title)})`);
  const more = rows.length > MAX_CANDIDATES ? ' and others' : '';
  throw new FuelError(
    'ambiguous',
    `Several session ids start with ${JSON.stringify(idOrPrefix)}: ${candidates.join(', ')}${more}.`,
    {
      hint: 'Use more characters of the id.',
    },
  );
}

const MAX_TITLE_CHARS = 40;

function shortTitle(title: string | null): string {
  if (title === null) return 'no title';
  return title.length > MAX_TITLE_CHARS ? `${title.slice(0, MAX_TITLE_CHARS - 1).toWellFormed()}…` : title;
}

/** A session with its files, annotations and the anomalies of its lines. Errors: not_found, ambiguous. */
export async function getSessionDetail(db: Tx, idOrPrefix: string): Promise<SessionDetail> {
  const session = await findSession(db, idOrPrefix);
  const [{ work } = session] = await withWork(db, [session]);
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
    work,
    team: await findTeamPlace(db, session.id),
    notes: await listNotes(db, session.id),
    files,
    lines: { total: 0, records: 0, salvaged: 0, skipped: 0, ...lines },
    anomalies: readJson(parse.anomalies),
  };
}
