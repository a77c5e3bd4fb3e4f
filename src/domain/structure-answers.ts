/** How the call of a tool_use or tool_result block ended; null for other blocks. */
export interface CallEnd {
  /** ok, error, denied, interrupted, pending or background. */
  readonly call_status: string | null;
  /** By whom the call was denied: user, rule, hook or auto_mode. */
  readonly call_denial: string | null;
}

/** LevelStats as answers show them: every name in snake_case. */
export interface StatsRow {
  readonly messages: number;
  readonly user_messages: number;
  readonly assistant_messages: number;
  readonly tool_calls: number;
  readonly tool_errors: number;
  readonly thinking_blocks: number;
  readonly tokens: {
    readonly input: number;
    readonly output: number;
    readonly cache_read: number;
    readonly cache_write_5m: number;
    readonly cache_write_1h: number;
  };
  readonly cost_nanos: number | null;
  readonly unpriced_messages: number;
  readonly files_read: number;
  readonly files_written: number;
  readonly lines_added: number;
  readonly lines_removed: number;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly wall_ms: number | null;
  readonly active_ms: number | null;
}

/** A FileTouch as answers show it. */
export interface FileTouchRow {
  readonly path: string;
  readonly action: 'read' | 'create' | 'edit';
  readonly lines_added: number;
  readonly lines_removed: number;
}
