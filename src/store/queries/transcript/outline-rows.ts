import { type RawBuilder, sql } from 'kysely';
import type { BlockHead, MessageHead } from '../../../domain/outline.ts';
import type { Engine, Tx } from '../../engine.ts';
import { COUNTED_COST } from '../usage/session-usage.ts';

/** Messages read by one statement; a statement blocks the process on SQLite. */
const PAGE_MESSAGES = 2_000;
/** Enough of a text to decide whether there is anything to show. */
const HEAD_CHARS = 32;
/** The same for a text that begins with a tag, which may be all there is. */
const TAGGED_HEAD_CHARS = 4_100;
/** The characters that `trim()` removes. */
const BLANKS =
  '\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';

interface OutlineRange {
  readonly sessionId: string;
  readonly revision: number;
  /** Position of the first message. */
  readonly from: number;
}

type Use = (messages: readonly MessageHead[], blocks: readonly BlockHead[]) => void;

/** Reads what an outline is made of: columns and sizes, but no texts beyond their first characters. */
export async function readOutlineMessages(
  engine: Engine,
  db: Tx,
  { from, ...rows }: OutlineRange,
  use: Use,
): Promise<void> {
  for (let first = from; ; ) {
    const messages = await selectMessages(db, { ...rows, from: first }).execute();
    const last = messages.at(-1);
    if (last === undefined) return;
    use(messages, await readBlocks(engine, db, { ...rows, from: first }, last.ordinal));
    if (messages.length < PAGE_MESSAGES) return;
    first = last.ordinal + 1;
  }
}

function selectMessages(db: Tx, { sessionId, revision, from }: OutlineRange) {
  return db
    .selectFrom('transcript_messages as m')
    .leftJoin('adopted_usage as a', (on) =>
      on.onRef('a.session_id', '=', 'm.session_id').onRef('a.usage_key', '=', 'm.usage_key'),
    )
    .select(['m.ordinal', 'm.agent_id', 'm.message_type', 'm.subtype', 'm.origin', 'm.is_meta', 'm.is_inherited'])
    .select(['m.timestamp', 'm.turn_id', 'm.model'])
    .select(
      sql<number | null>`m.tokens_in + coalesce(m.cache_read, 0) + coalesce(m.cache_write, 0)`.as('context_tokens'),
    )
    .select(COUNTED_COST.as('cost_nanos'))
    .select(sql<string | null>`CASE WHEN m.origin = 'synthetic' THEN m.metadata END`.as('metadata'))
    .where('m.session_id', '=', sessionId)
    .where('m.revision', '=', revision)
    .where('m.ordinal', '>=', from)
    .orderBy('m.ordinal')
    .limit(PAGE_MESSAGES);
}

async function readBlocks(
  engine: Engine,
  db: Tx,
  { sessionId, revision, from }: OutlineRange,
  last: number,
): Promise<readonly BlockHead[]> {
  const bytes = (column: RawBuilder<unknown>) => sql`coalesce(octet_length(${column}), 0)`;
  const text = sql`coalesce(b.content_text, b.thinking_text,
    CASE WHEN m.origin NOT IN ('model', 'tool_result') THEN b.result_text END)`;
  const { rows } = await sql<BlockHead>`
    SELECT m.ordinal, b.block_order, b.block_type, b.tool_name, b.tool_use_id, b.tool_result_id, b.is_error,
      ${bytes(sql`b.content_text`)} + ${bytes(sql`b.thinking_text`)} + ${bytes(sql`b.result_text`)} AS text_bytes,
      coalesce(${engine.jsonBytes(sql`b.tool_input`)}, 0) AS input_bytes,
      ${headOf(text)} AS head,
      CASE WHEN b.tool_result_id IS NULL THEN FALSE ELSE CAST(b.metadata AS TEXT) LIKE '%"image"%' END AS has_image
    FROM transcript_messages m
    JOIN content_blocks b ON b.session_id = m.session_id AND b.revision = m.revision AND b.message_id = m.id
    WHERE m.session_id = ${sessionId} AND m.revision = ${revision} AND m.ordinal >= ${from} AND m.ordinal <= ${last}
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
