import type { PullRequest } from './pull-request.ts';
import type { AnomalyKind, JsonObject, LineAccount, LinePosition, MessageOrigin } from './transcript.ts';
import type { Question, SkillUse, Todo, Worktree } from './transcript-lists.ts';
import type { TokenCounts } from './usage.ts';

/** What a session is made of beyond its messages: turns, branches, segments, calls, sub-agents, links. */
export interface SessionStructure {
  readonly files: readonly FileReport[];
  readonly turns: readonly Turn[];
  readonly branches: readonly BranchPoint[];
  readonly segments: readonly Segment[];
  readonly compactions: readonly Compaction[];
  readonly toolCalls: readonly ToolCall[];
  readonly touchedFiles: readonly TouchedFile[];
  readonly gitOperations: readonly GitOperation[];
  readonly subagents: readonly Subagent[];
  readonly teams: readonly Team[];
  readonly links: readonly SessionLink[];
  readonly origins: Origins;
  readonly apiErrors: readonly ApiError[];
  readonly plans: readonly Plan[];
  readonly todos: readonly Todo[];
  readonly skills: readonly SkillUse[];
  readonly questions: readonly Question[];
  readonly pullRequests: readonly PullRequest[];
  readonly worktrees: readonly Worktree[];
  /** Titles in these files that are about conversations in others. */
  readonly leafTitles: readonly LeafTitle[];
  readonly queue: readonly QueueOperation[];
  readonly clientCost: ClientCost | null;
  /** The whole session, sub-agents included. */
  readonly totals: LevelStats;
  readonly skipped: readonly SkippedLine[];
}

/** The same figures for a turn, a segment, a sub-agent or the session. */
export interface LevelStats {
  readonly messages: number;
  readonly userMessages: number;
  readonly assistantMessages: number;
  readonly toolCalls: number;
  readonly toolErrors: number;
  readonly thinkingBlocks: number;
  readonly tokens: TokenCounts;
  /** Sum of the priced messages; null when none has a price. */
  readonly costNanos: number | null;
  /** API messages with usage but without a known price: the cost lacks them. */
  readonly unpricedMessages: number;
  readonly filesRead: number;
  readonly filesWritten: number;
  readonly linesAdded: number;
  readonly linesRemoved: number;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  /** From the first to the last line. */
  readonly wallMs: number | null;
  /** Time in which the client worked: reported turn durations, else the span from prompt to last answer. */
  readonly activeMs: number | null;
}

/** A title for the conversation whose last line is the leaf. */
export interface LeafTitle {
  readonly leafUuid: string;
  readonly title: string;
}

export interface FileReport {
  readonly name: string;
  readonly role: 'main' | 'agent';
  readonly agentId: string | null;
  readonly bytes: number;
  readonly lines: LineAccount;
}

export interface Turn {
  /** Id of the prompt's message. */
  readonly id: string;
  readonly ordinal: number;
  readonly agentId: string | null;
  readonly origin: MessageOrigin;
  readonly parentTurnId: string | null;
  /** One of two or more prompts under the same line. */
  readonly isBranch: boolean;
  readonly compactSequence: number;
  readonly durationMs: number | null;
  /** `reported` by a turn_duration line, else `derived` from the first and last time. */
  readonly durationSource: 'reported' | 'derived' | null;
  readonly stats: LevelStats;
}

/** A line with two or more prompts under it: the user went back and asked again. */
export interface BranchPoint {
  /** Empty where the first prompt was edited: it has no parent. */
  readonly uuid: string;
  readonly messageId: string | null;
  readonly agentId: string | null;
  readonly turnIds: readonly string[];
  /** The branch that leads to the last message. */
  readonly currentTurnId: string;
}

export interface Segment {
  readonly agentId: string | null;
  readonly compactSequence: number;
  readonly kind: 'original' | 'continuation';
  readonly compactionId: string | null;
  readonly firstMessageId: string;
  readonly lastMessageId: string;
  readonly stats: LevelStats;
}

export interface Compaction {
  /** Id of the boundary's message. */
  readonly id: string;
  readonly agentId: string | null;
  /** `micro` only clears old tool results; the conversation goes on. */
  readonly kind: 'full' | 'micro';
  /** Number of the segment that begins here; 0 for a micro compaction. */
  readonly compactSequence: number;
  readonly trigger: string | null;
  readonly preTokens: number | null;
  readonly postTokens: number | null;
  readonly savedTokens: number | null;
  readonly droppedTokens: number | null;
  readonly durationMs: number | null;
  readonly summaryMessageId: string | null;
  readonly logicalParentUuid: string | null;
  /** Lines that stay in the model's context across the boundary. */
  readonly preservedUuids: readonly string[];
  readonly clearedToolUseIds: readonly string[];
  readonly timestamp: string | null;
}

/** `background`: started; its result arrives later. `pending`: no result in the files. */
export const TOOL_STATUSES = ['ok', 'error', 'denied', 'interrupted', 'background', 'pending'] as const;
export type ToolStatus = (typeof TOOL_STATUSES)[number];

/**
 * The status of calls that failed, wherever failures are counted. A call that was denied or interrupted has an error for a
 * result, but did not fail: it is counted as such.
 */
export const FAILED: ToolStatus = 'error';

/** Who denied a call: the person, a permission rule or mode, a hook, or the classifier of auto mode. */
export const DENIALS = ['user', 'rule', 'hook', 'auto_mode'] as const;
export type Denial = (typeof DENIALS)[number];

export interface ToolCall {
  readonly id: string;
  /** Null when only the result is in the files. */
  readonly name: string | null;
  readonly agentId: string | null;
  readonly messageId: string | null;
  readonly resultMessageId: string | null;
  readonly turnId: string | null;
  readonly resultCount: number;
  readonly status: ToolStatus;
  readonly denial: Denial | null;
  readonly exitCode: number | null;
  /** How long it ran, without the time it waited. */
  readonly durationMs: number | null;
  readonly durationSource: 'reported' | 'derived' | null;
  /** How long it waited for a person or for other calls, at least. */
  readonly waitingMs: number | null;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly files: readonly FileTouch[];
  /** Its message is in the inherited beginning. */
  readonly isInherited: boolean;
  readonly spawnedAgentId: string | null;
  /** Who made the call: `direct` for the model itself, else the server tool that it ran in. */
  readonly caller: string | null;
  readonly persistedOutput: PersistedOutputRef | null;
  /** Small facts of the result's own shape. */
  readonly details: JsonObject;
}

export interface PersistedOutputRef {
  /** File name in the session's tool-results folder; null when the path leads elsewhere and must not be opened. */
  readonly fileName: string | null;
  readonly sizeBytes: number | null;
}

type FileAction = 'read' | 'create' | 'edit';

export interface FileTouch {
  readonly path: string;
  readonly action: FileAction;
  readonly linesAdded: number;
  readonly linesRemoved: number;
}

export interface TouchedFile {
  readonly path: string;
  readonly reads: number;
  readonly writes: number;
  readonly linesAdded: number;
  readonly linesRemoved: number;
}

export interface GitOperation {
  readonly toolUseId: string;
  readonly kind: 'commit' | 'push' | 'branch' | 'pr';
  readonly action: string | null;
  readonly sha: string | null;
  readonly branch: string | null;
  readonly url: string | null;
  readonly number: number | null;
}

/** Statuses of a sub-agent at the time its call returned, which do not show how it ended. */
export const UNDERWAY: ReadonlySet<string | null> = new Set(['async_launched', 'teammate_spawned', 'running']);

export interface Subagent {
  readonly agentId: string;
  /** Null for a child of the main conversation. */
  readonly parentAgentId: string | null;
  readonly toolUseId: string | null;
  /** The evidence for which call started it. */
  readonly linkedBy: 'meta' | 'result' | 'progress' | 'notification' | 'workflow' | 'text' | 'prompt' | null;
  /** Where its messages come from; `none` when only its name is known. */
  readonly source: 'file' | 'inline' | 'progress' | 'none';
  readonly agentType: string | null;
  readonly name: string | null;
  readonly teamName: string | null;
  readonly description: string | null;
  readonly model: string | null;
  readonly status: string | null;
  readonly isBackground: boolean;
  readonly spawnDepth: number | null;
  /** The client's report at its end, including its own sub-agents. */
  readonly reportedTokens: number | null;
  readonly reportedToolUses: number | null;
  readonly reportedDurationMs: number | null;
  readonly worktreePath: string | null;
  readonly worktreeBranch: string | null;
  /** Its own messages only. */
  readonly stats: LevelStats;
  /** With all agents below it. */
  readonly rolledUp: { readonly tokens: TokenCounts; readonly costNanos: number | null };
}

export interface Team {
  readonly name: string;
  readonly description: string | null;
  readonly leadAgentId: string | null;
  readonly createdAt: string | null;
  readonly endedAt: string | null;
  readonly members: readonly Teammate[];
}

export interface Teammate {
  readonly id: string;
  readonly name: string;
  readonly agentType: string | null;
  readonly model: string | null;
  readonly color: string | null;
  /** Every delivered message can start a new sub-agent file; these are theirs. */
  readonly agentIds: readonly string[];
  /** Messages it wrote to the lead, without what the client itself reports, such as that it is idle. */
  readonly messagesSent: number;
  /** Messages the lead wrote to it. */
  readonly messagesReceived: number;
}

/**
 * A link to another session. `forked`: this session began as a copy of it; `branched`: the same by /branch; `shared`: both
 * begin with the same lines, and the original is unknown; `copied`: these files contain lines of it;
 * `continued`: work went on there; `planned`: this session carries out its plan; `cleared`: /clear left it for this one.
 */
export interface SessionLink {
  readonly kind: LinkKind;
  readonly sessionId: string;
  readonly lines: number;
  readonly uuid: string | null;
}

export type LinkKind =
  | 'copied'
  | 'branched'
  | 'forked'
  | 'shared'
  | 'continued'
  | 'planned'
  | 'cleared'
  | 'forked_context';

/** How a session descends from others, found by comparing sessions; the parser marks and counts by it. */
export interface Lineage {
  /** The session whose beginning this one copied. */
  readonly parentId: string | null;
  /** False when only timestamps support it. */
  readonly isCertain: boolean;
  /** Id of the last message that was copied; null when nothing was. */
  readonly inheritedThrough: string | null;
  /** The session that /clear left for this one. */
  readonly clearedFrom: string | null;
}

export const NO_LINEAGE: Lineage = { parentId: null, isCertain: true, inheritedThrough: null, clearedFrom: null };

/** Evidence in the lines of a session about its origin; the store compares it with other sessions. */
export interface Origins {
  /** The latest time of the lines before the first one with a uuid. */
  readonly leadMs: number | null;
  /** When /clear began this session; null when it began otherwise. */
  readonly clearedAt: string | null;
  /** When /clear was queued in it, which left this session for another. */
  readonly leftAt: string | null;
  /** The session that the client's process was started with, where lines name another than this one. */
  readonly processSessionId: string | null;
}

export interface ApiError {
  readonly messageId: string;
  readonly agentId: string | null;
  readonly timestamp: string | null;
  readonly status: number | null;
  readonly kind: string | null;
  readonly text: string | null;
  readonly retryAttempt: number | null;
  readonly maxRetries: number | null;
  readonly retryInMs: number | null;
}

export interface Plan {
  readonly status: 'proposed' | 'approved' | 'rejected' | 'implemented';
  readonly toolUseId: string | null;
  readonly messageId: string | null;
  readonly filePath: string | null;
  readonly planningSessionId: string | null;
  readonly characters: number;
  readonly text: string | null;
}

export interface QueueOperation {
  readonly operation: string;
  readonly timestamp: string | null;
  readonly reason: string | null;
  readonly characters: number;
}

/** The client's own figures, kept for comparison. */
export interface ClientCost {
  readonly costNanos: number | null;
  /** Sum of `costUSD` on lines (0.2 to 1.0.1). */
  readonly lineCostNanos: number | null;
  readonly apiDurationMs: number | null;
  readonly durationMs: number | null;
  readonly linesAdded: number | null;
  readonly linesRemoved: number | null;
  readonly hasUnknownModelCost: boolean;
  readonly models: readonly ClientModelCost[];
}

export interface ClientModelCost {
  readonly model: string;
  readonly tokens: TokenCounts;
  readonly costNanos: number | null;
}

export interface SkippedLine {
  readonly position: LinePosition;
  readonly reason: AnomalyKind;
}
