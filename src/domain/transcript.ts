import type { SessionContent } from './session.ts';
import type { FormatDrift } from './transcript-lists.ts';
import type { SessionStructure } from './transcript-structure.ts';
import type { Usage } from './usage.ts';

/** JSON as it comes out of a transcript line. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };
export type JsonObject = { readonly [key: string]: JsonValue };

/** The position of a line: file index in the parse, 1-based line number, byte range. Enough to read its exact bytes again. */
export interface LinePosition {
  readonly file: number;
  readonly line: number;
  readonly offset: number;
  readonly length: number;
}

export type MessageType = 'user' | 'assistant' | 'system' | 'summary' | 'attachment';
export type MessageRole = 'human' | 'assistant' | 'system';

/** The actual author of a message, regardless of its line type. Only `human` and `queued` were typed by a person. */
export type MessageOrigin =
  | 'human'
  | 'queued'
  | 'model'
  | 'synthetic'
  | 'tool_result'
  | 'meta'
  | 'command'
  | 'command_output'
  | 'bash_input'
  | 'bash_output'
  | 'compact_summary'
  | 'task_notification'
  | 'teammate'
  | 'interruption'
  | 'agent_prompt'
  | 'context'
  | 'system';

export interface TranscriptMessage {
  /** uuid of the first line if it has one that is unique in the session, else derived from the position. */
  readonly id: string;
  /** Order in the session: files in parse order, then position of the first line. */
  readonly ordinal: number;
  /** The sub-agent whose thread this belongs to; null is the main conversation. */
  readonly agentId: string | null;
  readonly messageType: MessageType;
  readonly subtype: string | null;
  readonly role: MessageRole;
  readonly origin: MessageOrigin;
  readonly lines: readonly LinePosition[];
  readonly uuid: string | null;
  readonly parentUuid: string | null;
  /** uuid of the last line: titles in other files name a conversation by it. */
  readonly lastUuid: string | null;
  readonly apiMessageId: string | null;
  readonly requestId: string | null;
  readonly model: string | null;
  readonly stopReason: string | null;
  readonly usage: Usage | null;
  /**
   * The API message over all sessions: copies of it in forks and resumes have the same key and count once.
   * Null where there is no usage to count.
   */
  readonly usageKey: string | null;
  /** Nano-dollars; null where there is no usage or no known price. */
  readonly costNanos: number | null;
  /** The row of the price book that gave the cost. */
  readonly rateId: string | null;
  readonly timestamp: string | null;
  readonly compactSequence: number;
  readonly isCompacted: boolean;
  readonly isSidechain: boolean;
  readonly isMeta: boolean;
  /**
   * It is in the part that was copied from another session: shown here, but counted there. Without a lineage the lines
   * decide (their session id, or `forkedFrom`).
   */
  readonly isInherited: boolean;
  /** The session it was copied from, according to its line. */
  readonly copiedFrom: string | null;
  /** The branch that was checked out when it was written, as known from the lines before it. */
  readonly gitBranch: string | null;
  /** Its parent message, skipping progress lines and across compactions; null for a root. */
  readonly parentMessageId: string | null;
  /** The turn it belongs to: the id of the turn's prompt. */
  readonly turnId: string | null;
  readonly hasText: boolean;
  readonly hasThinking: boolean;
  readonly hasToolUse: boolean;
  readonly hasToolResult: boolean;
  /** Client version in force. */
  readonly version: string | null;
  readonly entrypoint: string | null;
  readonly userType: string | null;
  readonly teamName: string | null;
  /** The permission mode in force; null in sub-agents, whose lines do not state it. */
  readonly permissionMode: string | null;
  /** Requests behind the answer; null where the usage does not list them. */
  readonly iterations: number | null;
  readonly cacheMiss: CacheMiss | null;
  readonly metadata: JsonObject;
}

/** Why the prompt cache was not used, as reported by the API. */
export interface CacheMiss {
  readonly reason: string;
  readonly tokens: number | null;
}

export type BlockType =
  | 'text'
  /** Text that the client, an editor or a hook put into a prompt; `metadata.origin` and `metadata.tag` say what it is. */
  | 'injected'
  /** The content of an attachment line as readable text; `metadata.bytes` is its size. */
  | 'attachment'
  | 'thinking'
  | 'redacted_thinking'
  | 'tool_use'
  | 'tool_result'
  | 'image'
  | 'document'
  | 'server_tool_use'
  | 'server_tool_result'
  | 'tool_reference'
  | 'fallback'
  | 'unknown';

export interface ContentBlock {
  readonly messageId: string;
  readonly blockOrder: number;
  readonly blockType: BlockType;
  readonly contentText: string | null;
  readonly thinkingText: string | null;
  readonly toolName: string | null;
  readonly toolUseId: string | null;
  readonly toolInput: JsonValue | null;
  /** On a tool_result: the id of the tool_use it answers. */
  readonly toolResultId: string | null;
  readonly isError: boolean | null;
  readonly resultText: string | null;
  readonly line: LinePosition;
  readonly metadata: JsonObject;
}

/** Why a line, or a part of one, is not an ordinary record. Every kind is counted and shown. */
export type AnomalyKind =
  | 'empty_line'
  | 'comment_line'
  | 'nul_bytes'
  | 'byte_order_mark'
  | 'carriage_return'
  | 'several_records'
  | 'spliced_line'
  | 'truncated_tail'
  | 'invalid_json'
  | 'not_an_object'
  | 'invalid_utf8'
  | 'oversize_line'
  | 'too_deep'
  | 'unknown_type'
  | 'unknown_field'
  | 'shape_error'
  | 'duplicate_uuid'
  | 'repeated_line'
  | 'parent_cycle'
  | 'orphan_parent'
  | 'unpaired_tool_result'
  | 'unpaired_tool_use'
  | 'duplicate_tool_result'
  | 'foreign_session'
  | 'bad_timestamp'
  | 'undercounted_usage'
  | 'implausible_count'
  | 'unknown_model';

/** Every line ends in exactly one class; the four counts add up to `total`. */
export interface LineAccount {
  readonly total: number;
  readonly records: number;
  readonly salvaged: number;
  readonly skipped: number;
}

export interface SessionStats {
  readonly totalMessages: number;
  readonly userMessages: number;
  readonly assistantMessages: number;
  readonly toolUseCount: number;
  readonly thinkingBlocks: number;
  readonly subagentCount: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly costNanos: number | null;
  readonly unknownModels: readonly string[];
  readonly durationMs: number | null;
}

/** Facts about the session as a whole, from its lines. */
export interface SessionFacts {
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly title: string | null;
  readonly initialPrompt: string | null;
  readonly models: readonly string[];
  readonly cwds: readonly string[];
  readonly gitBranches: readonly string[];
  readonly versions: readonly string[];
  readonly entrypoint: string | null;
  readonly permissionModes: readonly string[];
  readonly slug: string | null;
  /** Other session ids found on lines of these files. */
  readonly foreignSessionIds: readonly string[];
  /** All slugs in order; `slug` is the first. */
  readonly slugs: readonly string[];
  /** On a teammate's own session: the team and the name in it. */
  readonly teamName: string | null;
  readonly agentName: string | null;
  readonly lastPrompt: string | null;
  readonly content: SessionContent;
}

/** One file of a session as the parser gets it. */
export interface TranscriptSource {
  /** `agent` for sub-agent files; their agent id is `agentId`. */
  readonly role: 'main' | 'agent';
  readonly agentId: string | null;
  /** Relative path under projects/, for messages to people only. */
  readonly name: string;
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Content of `agent-<id>.meta.json`, when there is one. */
  readonly meta?: JsonValue;
}

/** Receives rows as soon as they are complete, so that memory stays bounded. */
export interface TranscriptSink {
  block(block: ContentBlock): void;
}

/** A parsed session, checked against the schemas. */
export interface CheckedSession extends ParsedSession {
  readonly drift: FormatDrift;
}

export interface ParsedSession extends SessionStructure {
  readonly sessionId: string;
  readonly parserVersion: number;
  readonly messages: readonly TranscriptMessage[];
  readonly facts: SessionFacts;
  readonly stats: SessionStats;
  readonly lines: LineAccount;
  readonly anomalies: ReadonlyMap<AnomalyKind, number>;
}
