/** The kinds of items that a conversation consists of. `kind` in an outline is an index into this list. */
export const ITEM_KINDS = [
  'prompt',
  'command',
  'answer',
  'thinking',
  'read',
  'write',
  'run',
  'web',
  'agent',
  'task',
  'mcp',
  'other_tool',
  'result',
  'media',
  'notice',
  'error',
  'compaction',
  'summary',
  'context',
] as const;
export type ItemKind = (typeof ITEM_KINDS)[number];

/** Bits of `flags` in an outline. */
export const ITEM_FLAGS = {
  /** A failed call or an API error; denied calls have a bit of their own. */
  error: 1,
  /** Copied from another session. */
  inherited: 2,
  /** On a branch that was abandoned when the user rewound. */
  abandoned: 4,
  /** A call that was denied. */
  denied: 8,
  /** A call without a result, or an interruption. */
  unfinished: 16,
  hasImage: 32,
} as const;

/** The most items that one answer lists when text is found in a session. */
export const MAX_FOUND_ITEMS = 10_000;

/** The columns of a message that an outline is made of. */
export interface MessageHead {
  readonly ordinal: number;
  readonly agent_id: string | null;
  readonly message_type: string;
  readonly subtype: string | null;
  readonly origin: string;
  readonly is_meta: boolean | number;
  readonly is_inherited: boolean | number;
  readonly timestamp: string | null;
  readonly turn_id: string | null;
  readonly model: string | null;
  /** Null for messages that are not answers of the model. */
  readonly context_tokens: number | null;
  readonly cost_nanos: number | null;
  /** JSON; only of texts that the client wrote in place of the model. */
  readonly metadata: string | null;
}

/** The columns of a block that an outline is made of. */
export interface BlockHead {
  readonly ordinal: number;
  readonly block_order: number;
  readonly block_type: string;
  readonly tool_name: string | null;
  readonly tool_use_id: string | null;
  readonly tool_result_id: string | null;
  readonly is_error: boolean | number | null;
  readonly text_bytes: number;
  readonly input_bytes: number;
  /** The beginning of its text; blank only if the whole text is. Longer if it starts with a tag; complete for messages of teammates. */
  readonly head: string | null;
  readonly has_image: boolean | number;
}

/** The columns of a message that say how much of the context it takes. */
export interface ContextMessage
  extends Pick<MessageHead, 'ordinal' | 'agent_id' | 'message_type' | 'subtype' | 'origin' | 'turn_id' | 'model'> {
  readonly id: string;
  readonly uuid: string | null;
  readonly context_tokens: number | null;
  readonly tokens_out: number | null;
  readonly thinking_tokens: number | null;
}

export type ContextBlock = Pick<BlockHead, 'ordinal' | 'block_type' | 'tool_result_id' | 'text_bytes'>;

/** What an outline is made of besides messages. */
export interface OutlineParts {
  readonly turns: readonly TurnPart[];
  /** The beginnings of prompts, block by block, by the id of their turn. */
  readonly prompts: readonly { readonly message_id: string; readonly text: string }[];
  readonly branches: readonly BranchPart[];
  readonly compactions: readonly CompactionPart[];
  readonly agents: readonly AgentPart[];
  /** Only calls that did not simply succeed. */
  readonly calls: readonly { readonly id: string; readonly status: string }[];
  /** Commits made in the session, in order. */
  readonly commits: readonly CommitPart[];
}

export interface TurnPart {
  readonly id: string;
  /** Position of its prompt. */
  readonly ordinal: number | null;
  readonly agent_id: string | null;
  readonly origin: string;
  readonly parent_turn_id: string | null;
  readonly duration_ms: number | null;
  readonly stats: TurnFigures;
}

interface TurnFigures {
  readonly activeMs: number | null;
  readonly toolCalls: number;
  readonly toolErrors: number;
  readonly linesAdded: number;
  readonly linesRemoved: number;
  readonly filesWritten: number;
  readonly startedAt: string | null;
}

interface BranchPart {
  /** Position of the message before it. */
  readonly ordinal: number | null;
  readonly turn_ids: readonly string[];
  readonly current_turn_id: string;
}

interface CompactionPart {
  readonly id: string;
  readonly agent_id: string | null;
  readonly kind: string;
  readonly ordinal: number | null;
  readonly trigger_name: string | null;
  readonly pre_tokens: number | null;
  readonly post_tokens: number | null;
  readonly duration_ms: number | null;
}

/** A sub-agent or teammate. */
export interface AgentPart {
  readonly agent_id: string;
  readonly spawning_tool_use_id: string | null;
  readonly agent_type: string | null;
  readonly agent_name: string | null;
  readonly team_name: string | null;
  readonly description: string | null;
  readonly model: string | null;
  readonly status: string | null;
  readonly cost_nanos: number | null;
  readonly stats: { readonly messages: number; readonly tool_calls: number; readonly wall_ms: number | null };
  /** Last line of the last text it wrote. */
  readonly last_line: string | null;
  /** The session of a teammate that runs in a process of its own. */
  readonly session_id: string | null;
}

interface CommitPart {
  readonly sha: string | null;
  readonly message: string | null;
  readonly tool_use_id: string | null;
  readonly timestamp: string;
}
