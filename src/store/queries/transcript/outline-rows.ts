import { type RawBuilder, sql } from 'kysely';
import type { Engine, Tx } from '../../engine.ts';

/** Messages read by one statement; a statement blocks the process on SQLite. */
const PAGE_MESSAGES = 2_000;
/** Enough of a text to decide whether there is anything to show. */
const HEAD_CHARS = 32;
/** The same for a text that begins with a tag, which may be all there is. */
const TAGGED_HEAD_CHARS = 4_100;
/** What `trim()` removes. */
const BLANKS =
  '\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';

/** Reads what an outline is made of: columns and sizes, but no texts beyond their first characters. */
export async function readOutlineMessages(
  engine: Engine,
  db: Tx,
  sessionId: string,
  use: (rows: readonly OutlineMessage[], blocks: readonly OutlineBlock[]) => void,
): Promise<void> {
  for (let after = -1; ; ) {
    const messages = await readMessages(db, sessionId, after);
    const last = messages.at(-1);
    if (last === undefined) return;
    use(messages, await readBlocks(engine, db, { ...last, sessionId, after }));
    after = last.ordinal;
  }
}

type OutlineMessage = Awaited<ReturnType<typeof readMessages>>[number];
type OutlineBlock = Awaited<ReturnType<typeof readBlocks>>[number];

function readMessages(db: Tx, sessionId: string, after: number) {
  return db
    .selectFrom('transcript_messages as m')
    .innerJoin('sessions as s', (join) =>
      join.onRef('s.id', '=', 'm.session_id').onRef('s.revision', '=', 'm.revision'),
    )
    .select(['m.revision', 'm.ordinal', 'm.id', 'm.agent_id', 'm.message_type', 'm.subtype', 'm.origin'])
    .select(['m.is_meta', 'm.is_inherited', 'm.timestamp', 'm.turn_id', 'm.model', 'm.tokens_in', 'm.cache_read'])
    .select(['m.cache_write', 'm.tokens_out', 'm.uuid', 'm.thinking_tokens'])
    .select(sql<number | null>`CASE WHEN m.counted THEN m.cost_nanos END`.as('cost_nanos'))
    .select(sql<string | null>`CASE WHEN m.origin = 'synthetic' THEN m.metadata END`.as('metadata'))
    .where('m.session_id', '=', sessionId)
    .where('m.ordinal', '>', after)
    .orderBy('m.ordinal')
    .limit(PAGE_MESSAGES)
    .execute();
}

interface Range {
  readonly sessionId: string;
  readonly revision: number;
  readonly after: number;
  /** The last one. */
  readonly ordinal: number;
}

async function readBlocks(engine: Engine, db: Tx, { sessionId, revision, after, ordinal }: Range) {
  const bytes = (column: RawBuilder<unknown>) => sql`coalesce(octet_length(${column}), 0)`;
  const text = sql`coalesce(b.content_text, b.thinking_text,
    CASE WHEN m.origin NOT IN ('model', 'tool_result') THEN b.result_text END)`;
  const { rows } = await sql<BlockColumns>`
    SELECT m.ordinal, b.block_order, b.block_type, b.tool_name, b.tool_use_id, b.tool_result_id, b.is_error,
      ${bytes(sql`b.content_text`)} + ${bytes(sql`b.thinking_text`)} + ${bytes(sql`b.result_text`)} AS text_bytes,
      coalesce(${engine.jsonBytes(sql`b.tool_input`)}, 0) AS input_bytes,
      ${headOf(text)} AS head,
      CASE WHEN b.block_type IN ('tool_result', 'server_tool_result') THEN b.metadata END AS metadata
    FROM transcript_messages m
    JOIN content_blocks b ON b.session_id = m.session_id AND b.revision = m.revision AND b.message_id = m.id
    WHERE m.session_id = ${sessionId} AND m.revision = ${revision} AND m.ordinal > ${after} AND m.ordinal <= ${ordinal}
    ORDER BY m.ordinal, b.block_order`.execute(db);
  return rows;
}

/** The first characters of a text; without those that are blank if all of them are. */
function headOf(text: RawBuilder<unknown>) {
  const head = sql`substr(${text}, 1, ${sql.lit(HEAD_CHARS)})`;
  return sql`CASE WHEN m.origin = 'teammate' THEN ${text}
    WHEN m.origin NOT IN ('model', 'tool_result') AND ltrim(${head}, ${BLANKS}) LIKE '<%'
      THEN substr(${text}, 1, ${sql.lit(TAGGED_HEAD_CHARS)})
    WHEN ltrim(${head}, ${BLANKS}) = '' THEN substr(ltrim(${text}, ${BLANKS}), 1, ${sql.lit(HEAD_CHARS)})
    ELSE ${head} END`;
}

interface BlockColumns {
  readonly ordinal: number;
  readonly block_order: number;
  readonly block_type: string;
  readonly tool_name: string | null;
  readonly tool_use_id: string | null;
  readonly tool_result_id: string | null;
  readonly is_error: boolean | number | null;
  readonly text_bytes: number;
  readonly input_bytes: number;
  readonly head: string | null;
  readonly metadata: string | null;
}
