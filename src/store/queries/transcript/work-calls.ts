import { type RawBuilder, sql } from 'kysely';
import type { FileTouchRow } from '../../../api/structure.ts';
import type { FileChange, WorkCall } from '../../../api/work.ts';
import { commandText } from '../../../domain/client-tags.ts';
import { invalidCursor } from '../../../domain/errors.ts';
import type { SessionSelection } from '../../../domain/search.ts';
import { toSnakeCase } from '../../../lib/snake-case.ts';
import type { Engine, Tx } from '../../engine.ts';
import { decodePosition, encodePosition, includes } from '../../sql.ts';
import { cleanText, indexKey, readJson } from '../../text.ts';
import { selectedSessions } from '../sessions/field-conditions.ts';
import { readCalls } from './call-facts.ts';
import { MAX_PROMPT_CHARS } from './prompts.ts';

interface PageQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

interface CallsQuery extends SessionSelection, PageQuery {
  readonly name?: string | undefined;
  readonly status?: readonly string[] | undefined;
}

/** Calls of the selected sessions, newest session first. Errors: usage for an invalid cursor. */
export async function pageWorkCalls(engine: Engine, query: CallsQuery) {
  const { name, status } = query;
  const rows = await selectCalls(engine.kysely, query, [
    selectedSessions(engine, query),
    ...(name === undefined ? [] : [name === UNKNOWN ? sql`c.name IS NULL` : sql`c.name = ${indexKey(name)}`]),
    ...(status === undefined ? [] : [sql`c.status IN (${sql.join(status)})`]),
  ]);
  const { page, next_cursor } = cut(rows, query.limit);
  return { calls: page.map(toCall), next_cursor };
}

/** The name of calls whose tool is unknown, as in the list of tools. */
const UNKNOWN = '(unknown)';
const MAX_INPUT_CHARS = 100_000;

interface CallRow extends Omit<WorkCall, 'input'> {
  readonly tool_input: string | null;
  readonly position: number;
  readonly revision: number;
  readonly turn_id: string | null;
  readonly session_started_at: string;
  readonly files: string;
}

type Condition = RawBuilder<unknown>;

const NEWEST_FIRST = sql`s.started_at DESC, s.id DESC, c.position DESC`;

async function selectCalls(
  db: Tx,
  { limit, cursor }: PageQuery,
  conditions: readonly Condition[],
  more: Condition = sql``,
): Promise<readonly CallRow[]> {
  const all = [sql`NOT c.is_inherited`, ...conditions, ...(cursor === undefined ? [] : [isBeyond(cursor)])];
  const { rows } = await sql<CallRow>`
    SELECT s.id AS session_id, s.title AS session_title, w.display_name AS workspace_name, s.cwd, c.id, c.name, c.status,
      c.denial, c.exit_code, c.duration_ms, c.started_at, m.ordinal, b.block_order AS block, c.position, c.revision, c.turn_id, c.files,
      s.started_at AS session_started_at,
      CASE WHEN length(CAST(b.tool_input AS TEXT)) <= ${sql.lit(MAX_INPUT_CHARS)} THEN CAST(b.tool_input AS TEXT) END
        AS tool_input
    FROM (
      -- The page first, so that only its calls are read in full.
      SELECT s.id, c.revision, c.position
      FROM sessions s
      ${more}
      JOIN tool_calls c ON c.session_id = s.id AND c.revision = s.revision
      WHERE ${sql.join(all, sql` AND `)}
      ORDER BY ${NEWEST_FIRST}
      LIMIT ${limit + 1}
    ) p
    JOIN sessions s ON s.id = p.id
    JOIN workspaces w ON w.id = s.workspace_id
    JOIN tool_calls c ON c.session_id = p.id AND c.revision = p.revision AND c.position = p.position
    LEFT JOIN transcript_messages m ON m.session_id = c.session_id AND m.revision = c.revision AND m.id = c.message_id
    LEFT JOIN content_blocks b ON b.session_id = c.session_id AND b.revision = c.revision AND b.message_id = c.message_id
      AND b.tool_use_id = c.id
    ORDER BY ${NEWEST_FIRST}`.execute(db);
  return rows;
}

/** A cursor names a session and the position of a call in it. */
function isBeyond(cursor: string): Condition {
  const { at, id } = decodePosition(cursor);
  const slash = id.lastIndexOf('/');
  const [sessionId, position] = [id.slice(0, slash), Number(id.slice(slash + 1))];
  if (slash < 0 || !Number.isSafeInteger(position)) throw invalidCursor();
  return sql`(s.started_at < ${at} OR (s.started_at = ${at}
    AND (s.id < ${sessionId} OR (s.id = ${sessionId} AND c.position < ${position}))))`;
}

function cut<R extends CallRow>(rows: readonly R[], limit: number) {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const next_cursor =
    rows.length > limit && last !== undefined
      ? encodePosition({ at: last.session_started_at, id: `${last.session_id}/${last.position}` })
      : null;
  return { page, next_cursor };
}

function toCall({
  tool_input,
  position: _p,
  revision: _r,
  turn_id: _t,
  session_started_at: _s,
  files: _f,
  ...row
}: CallRow): WorkCall {
  return { ...row, input: tool_input === null ? null : readJson(tool_input) };
}

/** Long paths are found by their beginning: an index cannot hold all of it. */
const INDEXED_PATH_CHARS = 200;

interface ChangesQuery extends PageQuery {
  readonly path: string;
}

/** Calls that changed a file, newest session first. Errors: usage for an invalid cursor. */
export async function pageFileChanges(engine: Engine, query: ChangesQuery) {
  const db = engine.kysely;
  const path = cleanText(query.path);
  const start = sql.lit(INDEXED_PATH_CHARS);
  const files = sql`CAST(c.files AS TEXT)`;
  const has = (text: string) => includes(files, text);
  const rows = await selectCalls(
    db,
    query,
    [
      sql`substr(f.path, 1, ${start}) = substr(${path}, 1, ${start}) AND f.path = ${path}`,
      has(JSON.stringify(path)),
      sql`(${has('"edit"')} OR ${has('"create"')})`,
    ],
    sql`JOIN touched_files f ON f.session_id = s.id AND f.revision = s.revision`,
  );
  const { page, next_cursor } = cut(rows, query.limit);
  const touched = page.flatMap((row) => {
    const touches = toSnakeCase(readJson(row.files)) as readonly FileTouchRow[];
    const touch = touches.find((each) => each.path === path && each.action !== 'read');
    return touch === undefined ? [] : [{ row, touch }];
  });
  const prompts = await readPrompts(db, page);
  const patches = await readPatches(db, page);
  const changes = touched.map(
    ({ row, touch }): FileChange => ({
      ...toCall(row),
      ...touch,
      patch: patches.get(keyOf(row, row.id)) ?? null,
      ...(prompts.get(keyOf(row, row.turn_id ?? '')) ?? { prompt: null, prompt_ordinal: null }),
    }),
  );
  return { changes, next_cursor };
}

const keyOf = ({ session_id }: Pick<CallRow, 'session_id'>, id: string) => `${session_id} ${id}`;

type Prompt = Pick<FileChange, 'prompt' | 'prompt_ordinal'>;

const SHOWN_PROMPT_CHARS = 400;

/** The prompts of the turns that these calls belong to. */
async function readPrompts(db: Tx, calls: readonly CallRow[]): Promise<ReadonlyMap<string, Prompt>> {
  const prompts = new Map<string, Prompt>();
  for (const [session_id, own] of Map.groupBy(calls, (call) => call.session_id)) {
    const ids = [...new Set(own.flatMap(({ turn_id }) => (turn_id === null ? [] : [turn_id])))];
    if (ids.length === 0) continue;
    const { rows } = await sql<{ readonly id: string; readonly ordinal: number; readonly text: string }>`
      SELECT m.id, m.ordinal, substr(b.content_text, 1, ${sql.lit(MAX_PROMPT_CHARS)}) AS text
      FROM transcript_messages m
      JOIN content_blocks b ON b.session_id = m.session_id AND b.revision = m.revision AND b.message_id = m.id
      WHERE m.session_id = ${session_id} AND m.revision = ${own[0]?.revision ?? 0} AND m.id IN (${sql.join(ids)})
        AND b.block_type <> 'injected' AND b.content_text <> ''
      ORDER BY b.block_order DESC`.execute(db);
    // The first text of a prompt comes last and wins.
    for (const { id, ordinal, text } of rows) {
      const shown = (commandText(text) ?? text).trim().slice(0, SHOWN_PROMPT_CHARS).toWellFormed();
      prompts.set(keyOf({ session_id }, id), { prompt: shown, prompt_ordinal: ordinal });
    }
  }
  return prompts;
}

async function readPatches(db: Tx, calls: readonly CallRow[]): Promise<ReadonlyMap<string, FileChange['patch']>> {
  const patches = new Map<string, FileChange['patch']>();
  for (const [session_id, own] of Map.groupBy(calls, (call) => call.session_id)) {
    const rows = { sessionId: session_id, revision: own[0]?.revision ?? 0 };
    const facts = await readCalls(
      db,
      rows,
      own.map(({ id }) => ({ tool_use_id: id, tool_result_id: null })),
    );
    for (const [id, { patch }] of facts) patches.set(keyOf({ session_id }, id), patch);
  }
  return patches;
}
