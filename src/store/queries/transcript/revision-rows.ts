import { hash } from 'node:crypto';
import type {
  CheckedSession,
  ContentBlock,
  LinePosition,
  ParsedSession,
  TranscriptMessage,
} from '../../../domain/transcript.ts';
import { NO_SLOT, timeSlot } from '../../../domain/usage.ts';
import type { SqlValue, TableName } from '../../engine.ts';
import {
  cleanCount,
  cleanJson,
  cleanTextOrNull,
  cleanTime,
  cutText,
  indexKey,
  indexKeyOrNull,
  MAX_SHOWN_CHARS,
} from '../../text.ts';
import { STRUCTURE_TABLES } from './structure-rows.ts';

/** Converts the parser's output to the rows of a revision. */

/** The session and revision that rows belong to, and the files that line positions refer to. */
export interface RowOwner {
  readonly sessionId: string;
  readonly number: number;
  /** Archive ids of the parsed files, by file index of a line position. */
  readonly fileIds: readonly string[];
}

/** All rows of one table; each starts with session, revision and position. */
export interface TableRows {
  readonly table: TableName;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly SqlValue[])[];
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

export type BlockKey = Pick<ContentBlock, 'messageId' | 'blockOrder'>;

/** Unique within a session. */
export function blockId({ messageId, blockOrder }: BlockKey): string {
  return `${indexKey(messageId)}:${blockOrder}`;
}

export function blockRows(owner: RowOwner, blocks: readonly ContentBlock[]): TableRows {
  return { table: 'content_blocks', columns: BLOCK_COLUMNS, rows: blocks.map((block) => blockRow(owner, block)) };
}

/** System prompts and tool lists repeat in many sessions; the archive has the complete text. */
const MAX_ATTACHMENT_CHARS = 16 * 1024;

function blockRow(revision: RowOwner, block: ContentBlock): SqlValue[] {
  const maxChars = block.blockType === 'attachment' ? MAX_ATTACHMENT_CHARS : undefined;
  const content = block.contentText === null ? null : cutText(block.contentText, maxChars);
  const thinking = block.thinkingText === null ? null : cutText(block.thinkingText);
  const result = block.resultText === null ? null : cutText(block.resultText);
  const isCut = Boolean(content?.isCut || thinking?.isCut || result?.isCut);
  const isLong = [content, thinking, result].some((cut) => (cut?.text.length ?? 0) > MAX_SHOWN_CHARS);
  const messageId = indexKey(block.messageId);
  return [
    revision.sessionId,
    revision.number,
    messageId,
    block.blockOrder,
    blockId(block),
    block.blockType,
    indexKeyOrNull(block.toolName),
    indexKeyOrNull(block.toolUseId),
    indexKeyOrNull(block.toolResultId),
    block.isError,
    isLong ? archiveKey(revision, block.line) : null,
    cleanJson(isCut ? { ...block.metadata, truncated: true } : block.metadata),
    content?.text ?? null,
    thinking?.text ?? null,
    block.toolInput === null ? null : cleanJson(block.toolInput),
    result?.text ?? null,
  ];
}

/** The location of a line's exact bytes in the archive. */
function archiveKey({ fileIds }: RowOwner, { file, offset, length }: LinePosition): string {
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
  'leaf_uuid',
  'parent_message_id',
  'turn_id',
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
  'copied_from',
  'git_branch',
  'time_slot',
  'timestamp',
  'has_text',
  'has_thinking',
  'has_tool_use',
  'has_tool_result',
  'cc_version',
  'entrypoint',
  'user_type',
  'team_name',
  'permission_mode',
  'service_tier',
  'speed',
  'inference_geo',
  'iterations',
  'web_searches',
  'web_fetches',
  'thinking_tokens',
  'cache_miss_reason',
  'cache_missed_tokens',
  'raw_message',
  'metadata',
] as const;

/** Converts messages, turns, segments, tool calls and everything else the parser found. */
export function tableRows(owner: RowOwner, parsed: CheckedSession): readonly TableRows[] {
  return [messageRows(owner, parsed), ...structureRows(owner, parsed)];
}

function messageRows(owner: RowOwner, { messages, facts }: ParsedSession): TableRows {
  const hasLeaves = facts.versions.length === 0 || facts.versions.some(isNamedByLeaf);
  const rows = messages.map((message) => {
    const timestamp = cleanTime(message.timestamp);
    const slot = timestamp === null ? NO_SLOT : timeSlot(timestamp);
    return messageRow(owner, message, { timestamp, slot, hasLeaves });
  });
  return { table: 'transcript_messages', columns: MESSAGE_COLUMNS, rows };
}

/** Clients after 2.1.29 write no summary lines, so nothing names their conversations by a leaf. */
function isNamedByLeaf(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  return !(major > 2 || (major === 2 && (minor > 1 || (minor === 1 && patch > LAST_PATCH_WITH_SUMMARIES))));
}

const LAST_PATCH_WITH_SUMMARIES = 29;

interface MessagePlace {
  readonly timestamp: string | null;
  readonly slot: number;
  readonly hasLeaves: boolean;
}

function messageRow(
  revision: RowOwner,
  message: TranscriptMessage,
  { timestamp, slot, hasLeaves }: MessagePlace,
): SqlValue[] {
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
    hasLeaves ? indexKeyOrNull(message.lastUuid) : null,
    indexKeyOrNull(message.parentMessageId),
    indexKeyOrNull(message.turnId),
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
    indexKeyOrNull(message.copiedFrom),
    indexKeyOrNull(message.gitBranch),
    slot,
    timestamp,
    message.hasText,
    message.hasThinking,
    message.hasToolUse,
    message.hasToolResult,
    ...clientColumns(message),
    ...requestColumns(message),
    cleanJson(message.lines.map((line) => archiveKey(revision, line))),
    cleanJson(message.metadata),
  ];
}

/** In the order of MESSAGE_COLUMNS. */
function clientColumns(message: TranscriptMessage): SqlValue[] {
  return [
    indexKeyOrNull(message.version),
    indexKeyOrNull(message.entrypoint),
    indexKeyOrNull(message.userType),
    indexKeyOrNull(message.teamName),
    indexKeyOrNull(message.permissionMode),
  ];
}

/** In the order of MESSAGE_COLUMNS. */
function requestColumns({ usage, iterations, cacheMiss }: TranscriptMessage): SqlValue[] {
  return [
    indexKeyOrNull(usage?.serviceTier ?? null),
    indexKeyOrNull(usage?.speed ?? null),
    indexKeyOrNull(usage?.inferenceGeo ?? null),
    cleanCount(iterations),
    cleanCount(usage?.webSearches),
    cleanCount(usage?.webFetches),
    cleanCount(usage?.thinkingTokens),
    indexKeyOrNull(cacheMiss?.reason ?? null),
    cleanCount(cacheMiss?.tokens),
  ];
}

function structureRows({ sessionId, number }: RowOwner, parsed: CheckedSession): readonly TableRows[] {
  return STRUCTURE_TABLES.map(([table, toRows]) => {
    const rows = toRows(parsed);
    const columns = Object.keys(rows[0] ?? {});
    return {
      table,
      columns: ['session_id', 'revision', ...columns],
      rows: rows.map((row) => [sessionId, number, ...columns.map((name) => row[name] ?? null)]),
    };
  });
}

/** The fingerprint of each row by table; rows are identified by their position. */
export type RowMarks = ReadonlyMap<string, readonly string[]>;

export function markRows(tables: readonly TableRows[]): RowMarks {
  return new Map(tables.map(({ table, rows }) => [table, rows.map(markOf)]));
}

function markOf(row: readonly SqlValue[]): string {
  return hash('sha1', JSON.stringify(row), 'base64');
}
