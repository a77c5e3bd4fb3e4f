import type { PullRequest } from '../domain/pull-request.ts';
import type { TextPart } from '../domain/text-origin.ts';
import type {
  AnomalyKind,
  CacheMiss,
  JsonObject,
  JsonValue,
  LinePosition,
  MessageOrigin,
  MessageRole,
  MessageType,
} from '../domain/transcript.ts';
import type { Question, SkillUse, Worktree } from '../domain/transcript-lists.ts';
import type {
  ApiError,
  Denial,
  FileTouch,
  Lineage,
  LinkKind,
  Plan,
  QueueOperation,
  SkippedLine,
} from '../domain/transcript-structure.ts';
import type { Usage } from '../domain/usage.ts';
import type { UuidTable } from './graph/uuid-table.ts';
import type { LineSplitterState } from './read/lines.ts';
import type { ToolOutcome } from './tool/results.ts';
import type { TodoChange } from './tool/tasks.ts';

/**
 * Complete state of a parse after any number of bytes. Plain data only (no functions, no class instances), so that
 * `v8.serialize` can store it and another process can continue. Values from the transcript are used as keys of Maps
 * only.
 */
export interface SessionState {
  readonly sessionId: string;
  readonly files: readonly FileState[];
  readonly anomalies: Map<AnomalyKind, number>;
  readonly skipped: SkippedLine[];
  readonly uuids: UuidTable;
  /** Threads by index; 0 is the main conversation. */
  readonly threads: ThreadDraft[];
  readonly threadByAgent: Map<string, number>;
  readonly messages: MessageDraft[];
  /** Indexes of the messages with an API message id; usually one. */
  readonly apiMessages: Map<string, readonly number[]>;
  /** API messages in progress lines of agents that have their own file, by id. */
  readonly echoes: Map<string, MessageDraft>;
  readonly toolCalls: Map<string, ToolCallDraft>;
  /** Background tasks by id, from their notifications. */
  readonly notifications: Map<string, TaskNotification>;
  readonly teams: Map<string, TeamDraft>;
  readonly teamTalk: TeamTalk;
  readonly todos: Map<string, TodoDraft>;
  readonly skills: SkillDraft[];
  readonly questions: QuestionDraft[];
  readonly links: Map<string, LinkDraft>;
  readonly apiErrors: ApiErrorDraft[];
  readonly plans: PlanDraft[];
  readonly pullRequests: Map<string, PullRequest>;
  readonly worktrees: Map<string, WorktreeDraft>;
  readonly queue: QueueDraft;
  readonly facts: FactsDraft;
  readonly costs: CostDraft;
  readonly envelope: Envelope;
  /** Row of the line each block is on, by block key: see `keysOfContent`. */
  readonly blockRows: Map<number, number>;
  readonly descent: DescentDraft;
  /** The last line placed; usually the parent of the next one. */
  readonly lastPlaced: { uuid: string | null; row: number };
  /** Number of records seen so far in all files. */
  recordCount: number;
}

export interface FileState {
  /** Index among the sources as passed by the caller. */
  readonly index: number;
  readonly role: 'main' | 'agent';
  readonly agentId: string | null;
  readonly name: string;
  /** Identifies the file in ids made from positions; independent of the number of other files. */
  readonly key: string;
  readonly splitter: LineSplitterState;
  readonly account: { total: number; records: number; salvaged: number; skipped: number };
}

/** Origin of the session. */
export interface DescentDraft {
  /** Null if the session was not compared with others; then its own lines decide. */
  readonly lineage: Lineage | null;
  /** True once the line named by `inheritedThrough` is passed, or if there is none. */
  isPastInherited: boolean;
  /** The API message of that line. */
  lastInheritedApiId: string | null;
  /** False until the first line with a uuid. */
  isBegun: boolean;
  leadMs: number | null;
  clearedAt: string | null;
  leftAt: string | null;
  /** True once the model answered: a later /clear did not start the session. */
  isAnswered: boolean;
  /** Sessions that asked for copied answers: the one this was copied from, and those it had been copied from. */
  readonly requesters: Set<string>;
  /** Session ids of client processes, from lines that were not copied. */
  readonly processIds: Set<string>;
}

/** Fields that most lines repeat, with the values of the last line that had them. */
export interface Envelope {
  sessionId: string | null;
  version: string;
  cwd: string | null;
  gitBranch: string | null;
  slug: string | null;
  permissionMode: string | null;
  /** The last slash command, until it is known whether it loads a skill. */
  command: CommandDraft | null;
  /** True if this client version wrote output counts that are too low. */
  isUndercounting: boolean;
}

export interface ThreadDraft {
  readonly agentId: string | null;
  readonly source: 'file' | 'inline' | 'progress';
  /** Content of the agent's `.meta.json`. */
  readonly meta: JsonObject | null;
  /** Fingerprint of its first prompt; equals the one in the call that started it. */
  promptKey: string | null;
  /** The call named in its progress lines. */
  toolUseId: string | null;
  teamName: string | null;
  agentName: string | null;
  /** Set by the first line of an agent that inherits its parent's context. */
  forkOf: string | null;
}

export interface MessageDraft {
  readonly id: string;
  readonly thread: number;
  readonly messageType: MessageType;
  readonly subtype: string | null;
  readonly role: MessageRole;
  readonly origin: MessageOrigin;
  readonly lines: LinePosition[];
  readonly uuid: string | null;
  readonly parentUuid: string | null;
  lastUuid: string | null;
  readonly apiMessageId: string | null;
  requestId: string | null;
  model: string | null;
  stopReason: string | null;
  usage: Usage | null;
  timestamp: string | null;
  lastTimestamp: string | null;
  readonly isSidechain: boolean;
  readonly isMeta: boolean;
  readonly isInherited: boolean;
  readonly copiedFrom: string | null;
  readonly gitBranch: string | null;
  hasText: boolean;
  hasThinking: boolean;
  hasToolUse: boolean;
  hasToolResult: boolean;
  thinkingBlocks: number;
  blockCount: number;
  /** Characters of its texts and of the texts in its calls, at least. */
  chars: number;
  /** Index of the message that this one repeats (replay of a side question), -1 for none. Shown but never counted. */
  replayOf: number;
  /** True for a queued prompt that was withdrawn or that also occurs as a line of its own. */
  isWithdrawn: boolean;
  readonly version: string | null;
  readonly entrypoint: string | null;
  readonly userType: string | null;
  readonly teamName: string | null;
  readonly permissionMode: string | null;
  iterations: number | null;
  cacheMiss: CacheMiss | null;
  readonly metadata: { [key: string]: JsonValue };
}

export interface ToolCallDraft {
  readonly id: string;
  name: string | null;
  thread: number;
  /** Indexes of the messages with the call and with its result; -1 for none. */
  message: number;
  resultMessage: number;
  uses: number;
  results: number;
  startedAt: string | null;
  endedAt: string | null;
  isError: boolean;
  denial: Denial | null;
  isStopped: boolean;
  outcome: ToolOutcome | null;
  /** Timeout of a command, from the call's input. */
  timeoutMs: number | null;
  /** File changes according to the input; used if the result has none. */
  inputFiles: readonly FileTouch[];
  spawn: SpawnInput | null;
  /** Agent id found in the text of the result. */
  agentInText: string | null;
  caller: string | null;
  /** Change to the session if the call succeeds; cleared once the outcome is known. */
  effect: CallEffect | null;
}

/** A list change requested by a call. */
export type CallEffect =
  | { readonly kind: 'todos'; readonly todos: readonly TodoChange[] }
  | { readonly kind: 'new_task'; readonly task: Omit<TodoChange, 'id'> }
  | { readonly kind: 'task'; readonly task: TodoChange };

export interface SpawnInput {
  readonly promptKey: string | null;
  readonly agentType: string | null;
  readonly description: string | null;
  readonly name: string | null;
  readonly teamName: string | null;
  readonly model: string | null;
  readonly isBackground: boolean;
}

interface TaskNotification {
  readonly taskId: string;
  toolUseId: string | null;
  status: string | null;
}

export interface TeamDraft {
  readonly name: string;
  description: string | null;
  leadAgentId: string | null;
  createdAt: string | null;
  endedAt: string | null;
}

/** Messages between this session and its teammates, by teammate name. */
export interface TeamTalk {
  /** As received here. Clients may deliver a message twice. */
  readonly from: Map<string, number>;
  /** As recorded in the teammates' own files. */
  readonly sent: Map<string, number>;
  readonly to: Map<string, number>;
}

export interface TodoDraft {
  readonly id: string;
  readonly list: 'todo' | 'task';
  readonly thread: number;
  text: string;
  description: string | null;
  owner: string | null;
  status: string;
}

interface SkillDraft extends Pick<SkillUse, 'name' | 'args' | 'by' | 'toolUseId' | 'timestamp'> {
  readonly thread: number;
  readonly message: number;
}

interface CommandDraft {
  readonly name: string;
  readonly args: string | null;
  readonly message: number;
  readonly timestamp: string | null;
}

interface QuestionDraft extends Pick<Question, 'toolUseId' | 'header' | 'question' | 'isMultiSelect' | 'options'> {
  readonly thread: number;
  readonly message: number;
  answer: string | null;
  notes: string | null;
}

export type WorktreeDraft = { -readonly [K in keyof Omit<Worktree, 'agentId'>]: Worktree[K] };

export interface LinkDraft {
  readonly kind: LinkKind;
  readonly sessionId: string;
  readonly uuid: string | null;
  lines: number;
}

interface ApiErrorDraft extends Omit<ApiError, 'messageId' | 'agentId'> {
  readonly message: number;
}

export interface PlanDraft extends Omit<Plan, 'messageId' | 'status'> {
  readonly message: number;
}

interface QueueDraft {
  readonly operations: QueueOperation[];
  /** Queued prompts; each has a message that is kept only if the prompt occurs nowhere else. */
  readonly waiting: QueuedPrompt[];
  readonly absorbed: QueuedPrompt[];
  readonly seenPrompts: Set<string>;
}

export interface QueuedPrompt {
  readonly key: string;
  readonly parts: readonly TextPart[];
  readonly message: number;
}

export interface FactsDraft {
  startedAt: string | null;
  endedAt: string | null;
  customTitle: string | null;
  aiTitle: string | null;
  agentName: string | null;
  lastPrompt: string | null;
  /** Summary lines with the leaf they refer to, which may be in another file. */
  readonly summaries: { readonly text: string; readonly leafUuid: string | null }[];
  /** Number of summary lines, including those without text. */
  summaryLines: number;
  initialPrompt: string | null;
  /** First message from the lead of a team: the task of this teammate. */
  firstTask: string | null;
  readonly models: Set<string>;
  readonly cwds: Set<string>;
  /** Of sub-agents with their own files. */
  readonly agentCwds: Set<string>;
  readonly agentBranches: Set<string>;
  readonly gitBranches: Set<string>;
  readonly versions: Set<string>;
  readonly slugs: Set<string>;
  entrypoint: string | null;
  readonly permissionModes: Set<string>;
  readonly foreignSessionIds: Set<string>;
}

interface CostDraft {
  /** The last `cost-state` line; its totals are cumulative over the session and its resumes. */
  state: JsonObject | null;
  lineCostNanos: number | null;
}

export interface SourceHead {
  readonly role: 'main' | 'agent';
  readonly agentId: string | null;
  readonly name: string;
  readonly meta?: JsonValue;
}

export function noteAnomaly(state: SessionState, kind: AnomalyKind): void {
  state.anomalies.set(kind, (state.anomalies.get(kind) ?? 0) + 1);
}
