import { type Selectable, sql } from 'kysely';
import type { BlockRow, MessageRow, TranscriptPage, TranscriptQuery } from '../../../api/transcript.ts';
import type { Tx } from '../../engine.ts';
import type { Database } from '../../rows.ts';
import { ofCurrentRevision } from '../../sql.ts';
import { MAX_SHOWN_CHARS, readJson } from '../../text.ts';
import { type Calls, callIdOf, readCalls } from './call-facts.ts';

const MAX_TRANSCRIPT_ROWS = 1_000;
/** Represents the main conversation among sub-agent ids. */
export const MAIN_CONVERSATION = 'main';
/** Page size when texts are not shortened. */
const MAX_FULL_ROWS = 10;

/** A page of a session's current revision in order, each message with its blocks. */
export async function getTranscript(db: Tx, sessionId: string, query: TranscriptQuery): Promise<TranscriptPage> {
  const limit = Math.min(query.limit, query.full === true ? MAX_FULL_ROWS : MAX_TRANSCRIPT_ROWS);
  const messages = await fetchMessages(db, sessionId, { ...query, limit });
  const page = messages.slice(0, limit);
  const blocks = await fetchBlocks(db, sessionId, page, query.full === true);
  return {
    messages: page.map((message) => toMessageRow(message, blocks.get(message.id) ?? [])),
    next_after: messages.length > limit ? (page.at(-1)?.ordinal ?? null) : null,
  };
}

/** The messages at these positions of the current revision, in order. */
export async function getMessagesAt(
  db: Tx,
  sessionId: string,
  ordinals: readonly number[],
): Promise<readonly MessageRow[]> {
  if (ordinals.length === 0) return [];
  const messages = await selectMessages(db, sessionId).where('m.ordinal', 'in', ordinals).execute();
  const blocks = await fetchBlocks(db, sessionId, messages, false);
  return messages.map((message) => toMessageRow(message, blocks.get(message.id) ?? []));
}

type RawMessage = Awaited<ReturnType<typeof fetchMessages>>[number];

function fetchMessages(db: Tx, sessionId: string, { after = -1, limit, agent_id }: TranscriptQuery) {
  const agents = (agent_id ?? []).filter((id) => id !== MAIN_CONVERSATION);
  return selectMessages(db, sessionId)
    .where('m.ordinal', '>', after)
    .$if(agent_id !== undefined, (select) =>
      select.where(({ eb, or }) =>
        or([
          ...(agents.length > 0 ? [eb('m.agent_id', 'in', agents)] : []),
          ...(agent_id?.includes(MAIN_CONVERSATION) ? [eb('m.agent_id', 'is', null)] : []),
        ]),
      ),
    )
    .limit(limit + 1)
    .execute();
}

function selectMessages(db: Tx, sessionId: string) {
  return db
    .selectFrom('transcript_messages as m')
    .innerJoin('sessions as s', ofCurrentRevision('m'))
    .selectAll('m')
    .where('m.session_id', '=', sessionId)
    .orderBy('m.ordinal');
}

async function fetchBlocks(
  db: Tx,
  sessionId: string,
  messages: readonly RawMessage[],
  isFull: boolean,
): Promise<ReadonlyMap<string, BlockRow[]>> {
  const revision = messages[0]?.revision;
  if (revision === undefined) return new Map();
  const text = (column: 'content_text' | 'thinking_text' | 'result_text') =>
    isFull ? sql<string | null>`${sql.ref(column)}` : shownText(column);
  const rows = await db
    .selectFrom('content_blocks')
    .select(['id', 'message_id', 'block_order', 'block_type', 'tool_name', 'tool_use_id', 'tool_input'])
    .select(['tool_result_id', 'is_error', 'metadata', 'result_s3_key'])
    .select([
      text('content_text').as('content_text'),
      text('thinking_text').as('thinking_text'),
      text('result_text').as('result_text'),
    ])
    .where('session_id', '=', sessionId)
    .where('revision', '=', revision)
    .where(
      'message_id',
      'in',
      messages.map(({ id }) => id),
    )
    .orderBy('block_order')
    .execute();
  const calls = await readCalls(db, { sessionId, revision }, rows);
  const byMessage = Map.groupBy(rows, ({ message_id }) => message_id);
  return new Map([...byMessage].map(([id, blocks]) => [id, blocks.map((block) => toBlock(block, isFull, calls))]));
}

/** Only a block whose text is too long for a page shows its location in the archive. */
function shownText(column: 'content_text' | 'thinking_text' | 'result_text') {
  const whole = sql.ref(column);
  return sql<string | null>`CASE WHEN result_s3_key IS NULL THEN ${whole}
    ELSE substr(${whole}, 1, ${sql.lit(MAX_SHOWN_CHARS)}) END`;
}

type RawBlock = Omit<Selectable<Database['content_blocks']>, 'session_id' | 'revision'>;

function toBlock(row: RawBlock, isFull: boolean, calls: Calls): BlockRow {
  const call = calls.get(callIdOf(row) ?? '');
  // Shown with the call.
  const { patch: _patch, stderr: _stderr, ...metadata } = readJson<BlockRow['metadata']>(row.metadata);
  return {
    id: row.id,
    block_order: row.block_order,
    block_type: row.block_type,
    content_text: row.content_text,
    thinking_text: row.thinking_text,
    tool_name: row.tool_name,
    tool_use_id: row.tool_use_id,
    tool_input: row.tool_input === null ? null : readJson(row.tool_input),
    tool_result_id: row.tool_result_id,
    is_error: row.is_error === null ? null : Boolean(row.is_error),
    call_status: call?.status ?? null,
    call_denial: call?.denial ?? null,
    call: row.tool_use_id === null ? null : (call ?? null),
    result_text: row.result_text,
    metadata: row.result_s3_key === null || isFull ? metadata : { ...metadata, truncated: true },
  };
}

function toMessageRow(raw: RawMessage, blocks: readonly BlockRow[]): MessageRow {
  return {
    id: raw.id,
    ordinal: raw.ordinal,
    line_number: raw.line_number,
    agent_id: raw.agent_id,
    message_type: raw.message_type,
    subtype: raw.subtype,
    role: raw.role,
    origin: raw.origin,
    uuid: raw.uuid,
    parent_uuid: raw.parent_uuid,
    model: raw.model,
    tokens_in: raw.tokens_in,
    tokens_out: raw.tokens_out,
    cache_read: raw.cache_read,
    cache_write: raw.cache_write,
    cost_usd: raw.cost_usd,
    compact_sequence: raw.compact_sequence,
    is_compacted: Boolean(raw.is_compacted),
    is_inherited: Boolean(raw.is_inherited),
    is_meta: Boolean(raw.is_meta),
    timestamp: raw.timestamp,
    has_text: Boolean(raw.has_text),
    has_thinking: Boolean(raw.has_thinking),
    has_tool_use: Boolean(raw.has_tool_use),
    has_tool_result: Boolean(raw.has_tool_result),
    cc_version: raw.cc_version,
    entrypoint: raw.entrypoint,
    user_type: raw.user_type,
    team_name: raw.team_name,
    permission_mode: raw.permission_mode,
    stop_reason: raw.stop_reason,
    service_tier: raw.service_tier,
    speed: raw.speed,
    inference_geo: raw.inference_geo,
    iterations: raw.iterations,
    web_searches: raw.web_searches,
    web_fetches: raw.web_fetches,
    thinking_tokens: raw.thinking_tokens,
    cache_miss_reason: raw.cache_miss_reason,
    cache_missed_tokens: raw.cache_missed_tokens,
    metadata: readJson(raw.metadata),
    content_blocks: blocks,
  };
}
