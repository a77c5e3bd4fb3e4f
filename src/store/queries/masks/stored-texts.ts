import { type RawBuilder, sql } from 'kysely';
import type { SqlValue, TableName, Tx } from '../../engine.ts';
import { positionColumn, STRUCTURE_TABLES } from '../transcript/structure-rows.ts';

/** Every text that the store has of a session, to look for secrets in it. */

export type StoredRow = Readonly<Record<string, SqlValue>>;

/** Rows of one table. `key` identifies a row within the session. */
interface TextTable {
  readonly table: TableName;
  readonly key: readonly string[];
  readonly isRevised: boolean;
}

const revised = (table: TableName, ...key: string[]): TextTable => ({ table, key, isRevised: true });
const beside = (table: TableName, ...key: string[]): TextTable => ({ table, key, isRevised: false });

/** Derived from the archive: a parse with masking replaces them. */
const DERIVED: readonly TextTable[] = [
  revised('content_blocks', 'message_id', 'block_order'),
  ...(['transcript_messages', ...STRUCTURE_TABLES.map(([table]) => table)] as const).map((table) =>
    revised(table, positionColumn(table)),
  ),
  beside('git_calls', 'position'),
  beside('session_folders', 'position'),
  beside('documents', 'id'),
];

/** Not derived from the archive, so they are masked in place. */
const KEPT: readonly TextTable[] = [
  beside('events', 'id'),
  beside('git_activity', 'id'),
  beside('session_notes', 'id'),
  beside('session_summaries', 'agent_id', 'kind'),
  beside('session_tags', 'tag'),
  beside('session_steps', 'step'),
  beside('shares', 'id'),
];

/** Columns with ids, names and numbers of our own. They link rows, or have a closed set of values. */
const OWN_COLUMNS: ReadonlySet<string> = new Set(
  `id session_id revision message_id agent_id uuid parent_uuid leaf_uuid parent_message_id turn_id parent_turn_id
  current_turn_id turn_ids tool_use_id tool_result_id result_message_id spawned_agent_id spawning_tool_use_id
  parent_agent_id lead_agent_id agent_ids compaction_id summary_message_id logical_parent_uuid preserved_uuids
  cleared_tool_use_ids first_message_id last_message_id other_session_id planning_session_id api_message_id usage_key
  request_id workspace_id device_id source_file_id commit_sha sha duplicate_of order_key copied_from raw_message
  result_s3_key price_book price_rates rate_id row_changes claim_holder claim_work block_type message_type subtype role
  origin kind status state type relation linked_by duration_source used_by what shipped_to input_sha256 token_sha256
  timestamp started_at ended_at created_at updated_at ingested_at entered_at left_at answered_at made_at finished_at
  expires_at archived_at next_try_at`.split(/\s+/),
);

/** The columns of a row in which a secret may be. */
export function textsOf(row: StoredRow): readonly (readonly [column: string, text: string])[] {
  return Object.entries(row).flatMap(([column, value]) =>
    typeof value === 'string' && value !== '' && !OWN_COLUMNS.has(column) ? [[column, value] as const] : [],
  );
}

/** F20: limits the text held in memory. A row has at least this much room. */
const MAX_PAGE_CHARS = 8 * 1024 * 1024;
const MAX_PAGE_ROWS = 500;

/** Pages of rows of a session, table by table, with the row of the session itself. */
export async function* readStoredTexts(
  db: Tx,
  sessionId: string,
): AsyncGenerator<{ readonly table: TableName; readonly rows: readonly StoredRow[] }> {
  const session = await db.selectFrom('sessions').selectAll().where('id', '=', sessionId).executeTakeFirst();
  if (session === undefined) return;
  yield { table: 'sessions', rows: [session] };
  for (const spec of [...DERIVED, ...KEPT]) {
    for await (const rows of readPages(db, spec, ownRows(spec, sessionId, session.revision))) {
      yield { table: spec.table, rows };
    }
  }
}

function ownRows({ isRevised }: TextTable, sessionId: string, revision: number): RawBuilder<boolean> {
  return isRevised ? sql`session_id = ${sessionId} AND revision = ${revision}` : sql`session_id = ${sessionId}`;
}

async function* readPages(db: Tx, spec: TextTable, where: RawBuilder<boolean>): AsyncGenerator<readonly StoredRow[]> {
  const key = sql.join(spec.key.map((column) => sql.ref(column)));
  let last: readonly SqlValue[] | null = null;
  for (;;) {
    const isBeyond: RawBuilder<boolean> = last === null ? sql`TRUE` : sql`(${key}) > (${sql.join(last)})`;
    const count = await countFitting(db, spec, sql`${where} AND ${isBeyond}`, key);
    if (count === 0) return;
    const { rows } = await sql<StoredRow>`SELECT * FROM ${sql.table(spec.table)} WHERE ${where} AND ${isBeyond}
      ORDER BY ${key} LIMIT ${sql.lit(count)}`.execute(db);
    yield spec.table === 'documents' ? rows.map(withoutPath) : rows;
    last = spec.key.map((column) => rows.at(-1)?.[column] ?? null);
  }
}

/** A document is archived under its path, which `restore` needs. */
function withoutPath({ path: _path, ...row }: StoredRow): StoredRow {
  return row;
}

/** How many of the next rows fit into one page. */
async function countFitting(
  db: Tx,
  { table }: TextTable,
  where: RawBuilder<boolean>,
  key: RawBuilder<unknown>,
): Promise<number> {
  const chars = (LONG_COLUMNS[table] ?? []).map((column) => sql`coalesce(length(${sql.ref(column)}), 0)`);
  const size = chars.length === 0 ? sql`0` : sql.join(chars, sql` + `);
  const { rows } = await sql<{ size: number }>`SELECT ${size} AS size FROM ${sql.table(table)} WHERE ${where}
    ORDER BY ${key} LIMIT ${sql.lit(MAX_PAGE_ROWS)}`.execute(db);
  let total = 0;
  const count = rows.findIndex((row, at) => (total += row.size) > MAX_PAGE_CHARS && at > 0);
  return count === -1 ? rows.length : count;
}

/** Other columns are short enough for a page of rows. */
const LONG_COLUMNS: Partial<Record<TableName, readonly string[]>> = {
  content_blocks: ['content_text', 'thinking_text', 'result_text'],
  documents: ['text'],
  plans: ['text'],
};

/** Changes the texts of a row; columns without a change are left out. */
type ChangeRow = (row: StoredRow) => Readonly<Record<string, string>>;

/** Rewrites the texts of a session that no parse replaces. Tags that would change are removed. */
export async function rewriteKept(tx: Tx, sessionId: string, change: ChangeRow): Promise<void> {
  const own = sql<boolean>`session_id = ${sessionId}`;
  for (const spec of KEPT) await rewriteTable(tx, spec, own, change);
  await rewriteTable(tx, beside('sessions', 'id'), sql`id = ${sessionId}`, change);
}

/** The same for texts that belong to no session. */
export async function rewriteShared(tx: Tx, change: ChangeRow): Promise<void> {
  for (const { spec, where } of SHARED) await rewriteTable(tx, spec, where, change);
}

const NO_SESSION = sql<boolean>`session_id IS NULL`;
const SHARED: readonly { readonly spec: TextTable; readonly where: RawBuilder<boolean> }[] = [
  { spec: beside('events', 'id'), where: NO_SESSION },
  { spec: beside('git_activity', 'id'), where: NO_SESSION },
  { spec: beside('documents', 'id'), where: NO_SESSION },
  { spec: beside('saved_views', 'id'), where: sql`TRUE` },
];

/** Pages of rows that belong to no session. */
export async function* readSharedTexts(
  db: Tx,
): AsyncGenerator<{ readonly table: TableName; readonly rows: readonly StoredRow[] }> {
  for (const { spec, where } of SHARED) {
    for await (const rows of readPages(db, spec, where)) yield { table: spec.table, rows };
  }
}

async function rewriteTable(tx: Tx, spec: TextTable, where: RawBuilder<boolean>, change: ChangeRow): Promise<void> {
  for await (const rows of readPages(tx, spec, where)) {
    for (const row of rows) {
      const changed = Object.entries(change(row));
      if (changed.length === 0) continue;
      const isRow = spec.key.map((column) => sql`${sql.ref(column)} = ${row[column]}`);
      const itself = sql`${where} AND ${sql.join(isRow, sql` AND `)}`;
      if (spec.table === 'session_tags') {
        await sql`DELETE FROM session_tags WHERE ${itself}`.execute(tx);
        continue;
      }
      const set = changed.map(([column, text]) => sql`${sql.ref(column)} = ${text}`);
      await sql`UPDATE ${sql.table(spec.table)} SET ${sql.join(set)} WHERE ${itself}`.execute(tx);
    }
  }
}
