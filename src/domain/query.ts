import type { TeamPlace } from './team.ts';
import type { SummaryKind, WorkKind } from './summary.ts';
import type { JsonObject, JsonValue } from './transcript.ts';
import type { Lifecycle, ParseStatus } from './session.ts';
import type { StatusFigures } from './status.ts';
import type { CallEnd } from './structure-answers.ts';
import type { UsageSum } from './usage-sum.ts';
/** Questions to the store and their answers, with the column names people's scripts rely on. */

export const MAX_PAGE_ROWS = 200;
export const DEFAULT_PAGE_ROWS = 50;

export interface SessionQuery {
  readonly limit?: number;
  /** Opaque, from `next_cursor` of the page before. */
  readonly cursor?: string;
  readonly lifecycle?: readonly Lifecycle[];
  readonly parseStatus?: readonly ParseStatus[];
  readonly workspaceId?: string;
  readonly deviceId?: string;
  /** Times are ISO-8601 UTC; `after` and `endedAfter` include theirs, `before` and `endedBefore` do not. */
  readonly after?: string;
  readonly before?: string;
  readonly endedAfter?: string;
  readonly endedBefore?: string;
  readonly branch?: string;
  /** The beginning of a model's name. */
  readonly model?: string;
  readonly minCostNanos?: number;
  readonly maxCostNanos?: number;
  readonly tag?: string;
  /** Speed or service tier of an API message in it. */
  readonly speed?: string;
  readonly tier?: string;
  readonly has?: readonly HasWord[];
  readonly is?: readonly IsWord[];
  /** Stands in the title, in whatever case. */
  readonly title?: string;
  readonly all?: boolean;
}

/** Things that a session can have. */
export const HAS_WORDS = [
  'commit',
  'error',
  'subagent',
  'team',
  'plan',
  'pr',
  'compaction',
  'branch',
  'api_error',
  'todo',
  'tag',
  'note',
] as const;
export type HasWord = (typeof HAS_WORDS)[number];

/** States that a person would name. */
export const IS_WORDS = ['live', 'ended', 'failed', 'unpriced', 'pinned', 'archived'] as const;
export type IsWord = (typeof IS_WORDS)[number];

/** One row of the session list: the columns of the `sessions` table as JSON. */
export interface SessionRow {
  readonly id: string;
  readonly workspace_id: string;
  readonly workspace_name: string;
  readonly device_id: string;
  readonly device_name: string;
  readonly lifecycle: Lifecycle;
  readonly parse_status: ParseStatus;
  readonly parse_error: string | null;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly end_reason: string | null;
  readonly title: string | null;
  readonly initial_prompt: string | null;
  readonly summary: string | null;
  /** Whose words the summary is: a person's, a model's, or our own narrative. */
  readonly summary_kind: SummaryKind | null;
  /** Null unless the evidence is clear. */
  readonly work_kind: WorkKind | null;
  readonly cwd: string | null;
  readonly git_branch: string | null;
  readonly model: string | null;
  readonly models: readonly string[];
  readonly source: string | null;
  readonly cc_version: string | null;
  /** What its API messages were billed as, in order of first use. */
  readonly service_tiers: readonly string[];
  readonly speeds: readonly string[];
  readonly inference_geos: readonly string[];
  /** Searches and fetches that the API itself ran. */
  readonly web_searches: number | null;
  readonly web_fetches: number | null;
  readonly total_messages: number | null;
  readonly user_messages: number | null;
  readonly assistant_messages: number | null;
  readonly tool_use_count: number | null;
  readonly thinking_blocks: number | null;
  readonly subagent_count: number | null;
  readonly tokens_in: number | null;
  readonly tokens_out: number | null;
  readonly cache_read_tokens: number | null;
  readonly cache_write_tokens: number | null;
  /** Dollars; null when the price of a model it used is not known. */
  readonly cost_estimate_usd: number | null;
  /** Models whose price is not known: their tokens are in the counts, their cost is in no sum. */
  readonly unknown_models: readonly string[];
  readonly duration_ms: number | null;
  readonly tags: readonly string[];
  readonly metadata: JsonObject;
  readonly remote_env_id: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface SessionPage {
  readonly sessions: readonly SessionRow[];
  readonly next_cursor: string | null;
  readonly has_more: boolean;
  readonly hidden: number;
}

export interface BatchStatus {
  readonly statuses: readonly Pick<SessionRow, 'id' | 'lifecycle' | 'parse_status' | 'parse_error'>[];
  readonly not_found: readonly string[];
}

/** One archived file of a session. */
export interface SessionFile {
  readonly path: string;
  readonly kind: string;
  readonly agent_id: string | null;
  readonly size_bytes: number;
  readonly generations: number;
  readonly sha256: string | null;
}

/** What somebody wrote about a session. */
export interface SessionNote {
  readonly id: string;
  readonly text: string;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface SessionDetail extends SessionRow {
  /** Null outside of teams. */
  readonly team: TeamPlace | null;
  readonly is_pinned: boolean;
  readonly notes: readonly SessionNote[];
  readonly files: readonly SessionFile[];
  readonly lines: {
    readonly total: number;
    readonly records: number;
    readonly salvaged: number;
    readonly skipped: number;
  };
  /** Count of each kind of irregularity met while parsing. */
  readonly anomalies: { readonly [kind: string]: number };
}

export interface BlockRow extends CallEnd {
  readonly id: string;
  readonly block_order: number;
  readonly block_type: string;
  readonly content_text: string | null;
  readonly thinking_text: string | null;
  readonly tool_name: string | null;
  readonly tool_use_id: string | null;
  readonly tool_input: JsonValue | null;
  readonly tool_result_id: string | null;
  readonly is_error: boolean | null;
  readonly result_text: string | null;
  readonly metadata: JsonObject;
}

export interface MessageRow {
  readonly id: string;
  readonly ordinal: number;
  readonly line_number: number;
  readonly agent_id: string | null;
  readonly message_type: string;
  readonly subtype: string | null;
  readonly role: string;
  readonly origin: string;
  readonly uuid: string | null;
  readonly parent_uuid: string | null;
  readonly model: string | null;
  readonly tokens_in: number | null;
  readonly tokens_out: number | null;
  readonly cache_read: number | null;
  readonly cache_write: number | null;
  readonly cost_usd: number | null;
  readonly compact_sequence: number;
  readonly is_compacted: boolean;
  readonly is_meta: boolean;
  /** In the beginning that was copied from another session: shown here, counted there. */
  readonly is_inherited: boolean;
  readonly timestamp: string | null;
  readonly has_text: boolean;
  readonly has_thinking: boolean;
  readonly has_tool_use: boolean;
  readonly has_tool_result: boolean;
  /** Client version, entrypoint and so on in force when it was written. */
  readonly cc_version: string | null;
  readonly entrypoint: string | null;
  readonly user_type: string | null;
  readonly team_name: string | null;
  readonly permission_mode: string | null;
  readonly stop_reason: string | null;
  readonly service_tier: string | null;
  readonly speed: string | null;
  readonly inference_geo: string | null;
  /** Requests behind one answer. */
  readonly iterations: number | null;
  readonly web_searches: number | null;
  readonly web_fetches: number | null;
  readonly thinking_tokens: number | null;
  readonly cache_miss_reason: string | null;
  readonly cache_missed_tokens: number | null;
  readonly metadata: JsonObject;
  readonly content_blocks: readonly BlockRow[];
}

export interface TranscriptQuery {
  /** Messages after this ordinal; from the start when absent. */
  readonly after?: number;
  readonly limit?: number;
  /** Only of these sub-agents; null is the main conversation. */
  readonly agentIds?: readonly (string | null)[];
  /** Long texts whole, on pages of few messages; otherwise they are cut and marked as `truncated`. */
  readonly full?: boolean;
}

export interface TranscriptPage {
  readonly messages: readonly MessageRow[];
  /** Give it as `after` for the next page; null at the end. */
  readonly next_after: number | null;
}

/** What the model had before it when it wrote a message. */
export interface MessagePath {
  readonly message_ids: readonly string[];
  readonly ordinals: readonly number[];
  readonly turn_id: string | null;
}

/** An archived file as objects of a bucket. */
export interface ArchiveLinks {
  readonly path: string;
  readonly size_bytes: number;
  readonly sha256: string | null;
  readonly expires_at: string;
  readonly parts: readonly ArchivePart[];
}

export interface ArchivePart {
  readonly url: string;
  readonly encoding: 'zstd';
  readonly start_offset: number;
  readonly size_bytes: number;
  readonly blob_offset: number;
  readonly blob_sha256: string;
}

/** What usage can be summed up by. */
export const USAGE_GROUPS = ['day', 'hour', 'model', 'workspace', 'device', 'branch', 'session', 'agent'] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

export interface UsageQuery {
  readonly by: readonly UsageGroup[];
  /** The zone whose days and hours are meant. */
  readonly zone: string;
  readonly after?: string;
  readonly before?: string;
  readonly workspaceId?: string;
  readonly deviceId?: string;
  readonly model?: string;
}

export interface UsageRow extends UsageSum {
  /** What the row is about, one entry a group, in their order. */
  readonly group: Readonly<Partial<Record<UsageGroup, string>>>;
}

export interface UsageReport {
  readonly total: UsageSum;
  readonly rows: readonly UsageRow[];
}

/** Which sessions tools and files are counted in; one of them where it is named. */
export interface WorkQuery extends Omit<SessionQuery, 'cursor' | 'limit'> {
  readonly sessionId?: string;
  readonly limit: number;
}

export interface FileWorkQuery extends WorkQuery {
  /** Stands in the path. */
  readonly path?: string;
}

export const DEFAULT_WORK_ROWS = 30;
export const MAX_WORK_ROWS = 10_000;

/** How a tool was used over sessions. */
export interface ToolStats {
  readonly name: string;
  readonly calls: number;
  readonly sessions: number;
  readonly errors: number;
  readonly denied: number;
  readonly total_ms: number | null;
  readonly longest_ms: number | null;
}

/** What was done with a file over sessions. */
export interface FileStats {
  readonly path: string;
  readonly sessions: number;
  readonly reads: number;
  readonly writes: number;
  readonly lines_added: number;
  readonly lines_removed: number;
  readonly last_at: string;
}

/** How a step from bytes to finished session went last. */
export interface SessionStep {
  readonly step: string;
  readonly outcome: string;
  readonly error_code: string | null;
  readonly error: string | null;
  readonly attempts: number;
  readonly duration_ms: number;
  readonly revision: number;
  readonly finished_at: string;
}

/** Something about a session is other than before; what exactly is to be asked for. */
export interface SessionChange {
  readonly id: string;
  readonly workspace_id: string;
  readonly lifecycle: Lifecycle;
  readonly parse_status: ParseStatus;
  readonly revision: number;
  readonly total_messages: number | null;
  readonly updated_at: string;
}

/** How far the import is; what the page and the progress bar show. */
export interface ImportProgress {
  readonly phase: 'idle' | 'scanning' | 'importing' | 'indexing' | 'failed';
  readonly files_total: number;
  readonly files_done: number;
  readonly bytes_total: number;
  readonly bytes_done: number;
  readonly sessions_to_index: number;
  readonly sessions_indexed: number;
  readonly error: string | null;
}

/** Nothing is being imported. */
export const IDLE: ImportProgress = {
  phase: 'idle',
  files_total: 0,
  files_done: 0,
  bytes_total: 0,
  bytes_done: 0,
  sessions_to_index: 0,
  sessions_indexed: 0,
  error: null,
};

export interface ClaudeHomeStatus {
  readonly path: string;
  /** Whether it has a projects folder now. */
  readonly exists: boolean;
  /** Another home of the list that is the same folder under another name. */
  readonly same_as: string | null;
}

export interface StatusReport extends StatusFigures {
  readonly version: string;
  readonly mode: 'embedded' | 'server';
  readonly is_demo: boolean;
  readonly claude_home: string;
  readonly claude_home_exists: boolean;
  /** Every Claude home whose sessions are kept, the configured one included. */
  readonly claude_homes: readonly ClaudeHomeStatus[];
  readonly data_home: string;
  readonly sessions: number;
  readonly messages: number;
  readonly files: number;
  /** Bytes of transcripts kept, and what they take on disk or in the bucket. */
  readonly archived_bytes: number;
  readonly stored_bytes: number;
  readonly import: ImportProgress;
}
