import { sql } from 'kysely';
import type { ContentBlock, LinePosition, ParsedSession, TranscriptMessage } from '../../domain/transcript.ts';
import type { Engine, SqlValue, Tx } from '../engine.ts';
import { STRUCTURE_TABLES, structureMetadata } from './structure-rows.ts';
import { cleanCount, cleanJson, cleanTextOrNull, cleanTime, cutText, indexKey, indexKeyOrNull } from '../text.ts';

/** Rows of a session are written as revision n+1 beside n; readers see them when the pointer is swapped. */
export interface Revision {
  readonly sessionId: string;
  readonly number: number;
  /** Bytes up to this version of the archive are in it. */
  readonly capturedVersion: number;
  /** Archive ids of the parsed files, by file index of a line position. */
  readonly fileIds: readonly string[];
}

/** Starts the next revision and clears away what a crash left of it. Null when the session does not exist. */
export async function beginRevision(
  engine: Engine,
  sessionId: string,
  fileIds: readonly string[],
): Promise<Revision | null> {
  return engine.transaction(async (tx) => {
    const session = await tx
      .selectFrom('sessions')
      .select(['revision', 'captured_version'])
      .where('id', '=', sessionId)
      .executeTakeFirst();
    if (!session) return null;
    await deleteRevisions(tx, sessionId, (revision) => sql`${revision} > ${session.revision}`);
    return { sessionId, number: session.revision + 1, capturedVersion: session.captured_version, fileIds };
  });
}

async function deleteRevisions(
  tx: Tx,
  sessionId: string,
  which: (revision: ReturnType<typeof sql.ref>) => ReturnType<typeof sql<boolean>>,
): Promise<void> {
  const tables = ['content_blocks', 'transcript_messages', ...STRUCTURE_TABLES.map(([table]) => table)];
  for (const table of tables) {
    await sql`DELETE FROM ${sql.table(table)} WHERE session_id = ${sessionId} AND ${which(sql.ref('revision'))}`.execute(
      tx,
    );
  }
}

const BLOCK_COLUMNS = [
  'session_id',
  'revision',
  'message_id',
  'block_order',
  'id',
  'block_type',
  'tool_name',
  'tool_use_id',
  'tool_result_id',
  'is_error',
  'result_s3_key',
  'metadata',
  'content_text',
  'thinking_text',
  'tool_input',
  'result_text',
] as const;

export async function saveBlocks(engine: Engine, revision: Revision, blocks: readonly ContentBlock[]): Promise<void> {
  const rows = blocks.map((block) => blockRow(revision, block));
  await engine.transaction((tx) => engine.insertMany(tx, 'content_blocks', BLOCK_COLUMNS, rows));
}

function blockRow(revision: Revision, block: ContentBlock): SqlValue[] {
  const content = block.contentText === null ? null : cutText(block.contentText);
  const thinking = block.thinkingText === null ? null : cutText(block.thinkingText);
  const result = block.resultText === null ? null : cutText(block.resultText);
  const isCut = Boolean(content?.isCut || thinking?.isCut || result?.isCut);
  const messageId = indexKey(block.messageId);
  return [
    revision.sessionId,
    revision.number,
    messageId,
    block.blockOrder,
    `${messageId}:${block.blockOrder}`,
    block.blockType,
    indexKeyOrNull(block.toolName),
    indexKeyOrNull(block.toolUseId),
    indexKeyOrNull(block.toolResultId),
    block.isError,
    isCut ? archiveKey(revision, block.line) : null,
    cleanJson(isCut ? { ...block.metadata, truncated: true } : block.metadata),
    content?.text ?? null,
    thinking?.text ?? null,
    block.toolInput === null ? null : cleanJson(block.toolInput),
    result?.text ?? null,
  ];
}

/** Where the exact bytes of a line are in the archive. */
function archiveKey({ fileIds }: Revision, { file, offset, length }: LinePosition): string {
  return `${fileIds[file] ?? '?'}#${offset}+${length}`;
}

const MESSAGE_COLUMNS = [
  'session_id',
  'revision',
  'ordinal',
  'id',
  'line_number',
  'agent_id',
  'message_type',
  'subtype',
  'role',
  'origin',
  'uuid',
  'parent_uuid',
  'api_message_id',
  'usage_key',
  'request_id',
  'model',
  'stop_reason',
  'counted',
  'tokens_in',
  'tokens_out',
  'cache_read',
  'cache_write',
  'cache_write_1h',
  'cost_nanos',
  'rate_id',
  'compact_sequence',
  'is_compacted',
  'is_sidechain',
  'is_meta',
  'is_inherited',
  'timestamp',
  'has_text',
  'has_thinking',
  'has_tool_use',
  'has_tool_result',
  'raw_message',
  'metadata',
] as const;

/** Writes all messages of a revision. They become visible with the session row's new revision number. */
export async function saveMessages(
  engine: Engine,
  tx: Tx,
  revision: Revision,
  messages: readonly TranscriptMessage[],
): Promise<void> {
  const rows = messages.map((message) => messageRow(revision, message));
  await engine.insertMany(tx, 'transcript_messages', MESSAGE_COLUMNS, rows);
}

function messageRow(revision: Revision, message: TranscriptMessage): SqlValue[] {
  const { usage } = message;
  return [
    revision.sessionId,
    revision.number,
    message.ordinal,
    indexKey(message.id),
    message.lines[0]?.line ?? 0,
    indexKeyOrNull(message.agentId),
    message.messageType,
    cleanTextOrNull(message.subtype),
    message.role,
    message.origin,
    indexKeyOrNull(message.uuid),
    indexKeyOrNull(message.parentUuid),
    indexKeyOrNull(message.apiMessageId),
    usage === null ? null : indexKeyOrNull(message.usageKey),
    indexKeyOrNull(message.requestId),
    indexKeyOrNull(message.model),
    cleanTextOrNull(message.stopReason),
    usage !== null,
    cleanCount(usage?.input),
    cleanCount(usage?.output),
    cleanCount(usage?.cacheRead),
    usage === null ? null : cleanCount(usage.cacheWrite5m + usage.cacheWrite1h),
    cleanCount(usage?.cacheWrite1h),
    cleanCount(message.costNanos),
    cleanTextOrNull(message.rateId),
    message.compactSequence,
    message.isCompacted,
    message.isSidechain,
    message.isMeta,
    message.isInherited,
    cleanTime(message.timestamp),
    message.hasText,
    message.hasThinking,
    message.hasToolUse,
    message.hasToolResult,
    cleanJson(message.lines.map((line) => archiveKey(revision, line))),
    cleanJson(message.metadata),
  ];
}

/** Writes turns, segments, tool calls and all else that the reader found. */
export async function saveStructure(engine: Engine, tx: Tx, revision: Revision, parsed: ParsedSession): Promise<void> {
  for (const [table, toRows] of STRUCTURE_TABLES) {
    const rows = toRows(parsed);
    const columns = Object.keys(rows[0] ?? {});
    if (rows.length === 0) continue;
    const values = rows.map((row) => [
      revision.sessionId,
      revision.number,
      ...columns.map((name) => row[name] ?? null),
    ]);
    await engine.insertMany(tx, table, ['session_id', 'revision', ...columns], values);
  }
}

export interface RevisionSwap {
  readonly workspaceId: string | null;
  readonly isLive: boolean;
  readonly endReason: string | null;
  readonly fallbackStart: string;
  readonly now: string;
}

const MAX_PROMPT_CHARS = 1_000;
const MAX_TITLE_CHARS = 300;

/** Makes the revision the session's current one, with state, facts and counts, and removes the one before it. */
export async function swapRevision(
  tx: Tx,
  revision: Revision,
  parsed: ParsedSession,
  swap: RevisionSwap,
): Promise<void> {
  const { facts, stats } = parsed;
  const prompt = facts.initialPrompt === null ? null : cutText(facts.initialPrompt, MAX_PROMPT_CHARS).text;
  await tx
    .updateTable('sessions')
    .set({
      lifecycle: swap.isLive ? 'capturing' : 'parsed',
      parse_status: 'completed',
      parse_error: null,
      started_at: cleanTime(facts.startedAt) ?? swap.fallbackStart,
      ended_at: swap.isLive ? null : cleanTime(facts.endedAt),
      end_reason: swap.endReason,
      title: titleOf(facts.title) ?? titleOf(prompt),
      client_title: titleOf(facts.title),
      initial_prompt: prompt,
      cwd: cleanTextOrNull(facts.cwds[0]),
      git_branch: cleanTextOrNull(facts.gitBranches[0]),
      model: cleanTextOrNull(facts.models[0]),
      models: cleanJson(facts.models),
      cc_version: cleanTextOrNull(facts.versions.at(-1)),
      transcript_s3_key: revision.fileIds[0] ?? null,
      total_messages: stats.totalMessages,
      user_messages: stats.userMessages,
      assistant_messages: stats.assistantMessages,
      tool_use_count: stats.toolUseCount,
      thinking_blocks: stats.thinkingBlocks,
      subagent_count: stats.subagentCount,
      duration_ms: cleanCount(stats.durationMs),
      unknown_models: cleanJson(stats.unknownModels),
      lines: cleanJson(parsed.lines),
      anomalies: cleanJson(Object.fromEntries(parsed.anomalies)),
      metadata: cleanJson(sessionMetadata(parsed)),
      revision: revision.number,
      parsed_version: revision.capturedVersion,
      parser_version: parsed.parserVersion,
      updated_at: swap.now,
      ...(swap.workspaceId === null ? {} : { workspace_id: swap.workspaceId }),
    })
    .where('id', '=', revision.sessionId)
    .execute();
  await deleteRevisions(tx, revision.sessionId, (column) => sql`${column} < ${revision.number}`);
}

/** One line; null when nothing is left of it. */
function titleOf(text: string | null): string | null {
  const line = text?.replaceAll(/\s+/g, ' ').trim();
  return line ? cutText(line, MAX_TITLE_CHARS).text : null;
}

function sessionMetadata(parsed: ParsedSession): Record<string, unknown> {
  const { facts } = parsed;
  return {
    ...structureMetadata(parsed),
    cwds: facts.cwds,
    git_branches: facts.gitBranches,
    versions: facts.versions,
    entrypoint: facts.entrypoint,
    permission_modes: facts.permissionModes,
    slug: facts.slug,
    foreign_session_ids: facts.foreignSessionIds,
  };
}
