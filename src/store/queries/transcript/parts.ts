import { type Selectable, sql } from 'kysely';
import type { FileTouchRow, LevelStatsRow } from '../../../api/structure.ts';
import type { JsonObject } from '../../../domain/transcript.ts';
import type { Question } from '../../../domain/transcript-lists.ts';
import { toSnakeCase } from '../../../lib/snake-case.ts';
import type { Tx } from '../../engine.ts';
import type { Database } from '../../rows.ts';
import { readJson } from '../../text.ts';
import { COUNTED_COST, WITH_ADOPTED } from '../usage/session-usage.ts';
import { positionColumn } from './structure-rows.ts';

/** Decoders for columns that the engines store differently. */
type Decoders = Readonly<Record<string, (value: never) => unknown>>;

const json =
  <T>() =>
  (text: string): T =>
    readJson<T>(text);
const texts = json<readonly string[]>();
/** Stored as the parser produces them, shown in snake case like everything else. */
const snakeJson =
  <T>() =>
  (text: string): T =>
    toSnakeCase(readJson(text)) as T;
const stats = snakeJson<LevelStatsRow>();

/** The parts of a session by table; each row belongs to a revision and has a position. */
const PARTS = {
  turns: { stats, is_branch: Boolean },
  branch_points: { turn_ids: texts },
  conversation_segments: { stats },
  compactions: { preserved_uuids: texts, cleared_tool_use_ids: texts },
  tool_calls: { files: snakeJson<readonly FileTouchRow[]>(), details: json<JsonObject>(), is_inherited: Boolean },
  touched_files: {},
  subagents: { stats, reported: json<Reported>(), run_in_background: Boolean },
  teams: {},
  teammates: { agent_ids: texts },
  session_links: {},
  api_errors: {},
  plans: {},
  todos: {},
  skills: {},
  questions: { options: json<readonly QuestionOption[]>(), chosen: texts, is_multi_select: Boolean },
  worktrees: {},
} as const satisfies Readonly<Partial<Record<keyof Database, Decoders>>>;

type QuestionOption = Question['options'][number];

interface Reported {
  readonly tokens: number | null;
  readonly tool_uses: number | null;
  readonly duration_ms: number | null;
}

export type PartName = keyof typeof PARTS;
type DecodersOf<T extends PartName> = (typeof PARTS)[T];
type Row<T extends PartName> = Selectable<Database[T]>;

/** A row of a part as it is shown. */
export type Part<T extends PartName> = {
  readonly [K in Exclude<keyof Row<T>, 'session_id' | 'revision'>]: K extends keyof DecodersOf<T>
    ? DecodersOf<T>[K] extends (...values: never[]) => infer V
      ? V
      : never
    : Row<T>[K];
};

export interface PartQuery {
  readonly after?: number;
  readonly limit: number;
  /** Only rows whose column has one of these values. */
  readonly where?: Readonly<Record<string, readonly string[] | undefined>>;
}

export interface PartPage<T extends PartName> {
  readonly rows: readonly Part<T>[];
  readonly next_after: number | null;
}

/** A page of one part of a session's current revision, in the order of the transcript. */
export async function listParts<T extends PartName>(
  db: Tx,
  table: T,
  sessionId: string,
  query: PartQuery,
): Promise<PartPage<T>> {
  const order = positionColumn(table);
  const wanted = Object.entries(query.where ?? {}).flatMap(([column, values]) =>
    values === undefined ? [] : [sql`AND p.${sql.ref(column)} IN (${sql.join(values)})`],
  );
  const { rows } = await sql<Record<string, unknown>>`
    SELECT p.* FROM ${sql.table(table)} p JOIN sessions s ON s.id = p.session_id AND s.revision = p.revision
    WHERE p.session_id = ${sessionId} AND p.${sql.ref(order)} > ${query.after ?? -1} ${sql.join(wanted, sql` `)}
    ORDER BY p.${sql.ref(order)} LIMIT ${query.limit + 1}`.execute(db);
  const page = await withCountedCosts(db, table, sessionId, rows.slice(0, query.limit));
  return {
    rows: page.map((row) => toPart(row, PARTS[table]) as Part<T>),
    next_after: rows.length > query.limit ? Number(page.at(-1)?.[order]) : null,
  };
}

/** Parts with a cost: the column that identifies them, and the column of messages that refers to it. */
const PRICED: Readonly<Partial<Record<PartName, { readonly id: string; readonly of: 'turn_id' | 'agent_id' }>>> = {
  turns: { id: 'id', of: 'turn_id' },
  subagents: { id: 'agent_id', of: 'agent_id' },
};

type StoredRow = Readonly<Record<string, unknown>>;

/** Where messages are shared with other sessions, the cost is what this session counts for them. */
export async function withCountedCosts<T extends StoredRow>(
  db: Tx,
  table: PartName,
  sessionId: string,
  page: readonly T[],
): Promise<readonly T[]> {
  const priced = PRICED[table];
  if (priced === undefined || page.length === 0) return page;
  const { rows } = await sql<{ id: string; shared: number | string; nanos: number | string | null }>`
    SELECT m.${sql.ref(priced.of)} AS id, SUM(${COUNTED_COST}) AS nanos,
      SUM(CASE WHEN m.counted AND a.session_id IS NULL THEN 0 ELSE 1 END) AS shared
    FROM transcript_messages m JOIN sessions s ON s.id = m.session_id AND s.revision = m.revision ${WITH_ADOPTED}
    WHERE m.session_id = ${sessionId} AND (m.cost_nanos IS NOT NULL OR a.session_id IS NOT NULL)
      AND m.${sql.ref(priced.of)} IN (${sql.join(page.map((row) => row[priced.id]))})
    GROUP BY m.${sql.ref(priced.of)}`.execute(db);
  const counted = new Map(rows.filter(({ shared }) => Number(shared) > 0).map(({ id, nanos }) => [id, nanos]));
  return page.map((row) => {
    const nanos = counted.get(row[priced.id] as string);
    return nanos === undefined ? row : { ...row, cost_nanos: nanos === null ? null : Number(nanos) };
  });
}

function toPart(row: Readonly<Record<string, unknown>>, decode: Decoders): Record<string, unknown> {
  const { session_id: _session, revision: _revision, ...kept } = row;
  const shown: Record<string, unknown> = kept;
  for (const [column, toValue] of Object.entries(decode)) shown[column] = toValue(shown[column] as never);
  return shown;
}
