import type { Subagent } from '../../../src/api/agents.ts';
import type { FoundSession, SearchHit } from '../../../src/api/search.ts';
import type { StatusReport } from '../../../src/api/server.ts';
import type { SessionDetail } from '../../../src/api/sessions.ts';
import type { BlockRow, CallFacts, MessageRow } from '../../../src/api/transcript.ts';
import type { CostSums } from '../../../src/api/usage.ts';
import { NO_USAGE } from '../../../src/domain/usage.ts';

/** The sums of a cost report without usage. */
export const NO_COST_SUMS = {
  messages: 0,
  unpriced_messages: 0,
  tokens_in: 0,
  tokens_out: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  cache_write_1h_tokens: 0,
  cost_nanos: 0,
  cost_usd: 0,
  subagent_cost_nanos: 0,
  subagent_cost_usd: 0,
} as const satisfies CostSums;

/** Rows with every field filled in; a test names only the fields it is about. */
export function makeSession(fields: Partial<SessionDetail> & { readonly id: string }): SessionDetail {
  return {
    workspace_id: 'workspace-1',
    workspace_name: 'harbour',
    device_id: 'device-1',
    device_name: 'laptop',
    lifecycle: 'parsed',
    parse_status: 'completed',
    parse_error: null,
    started_at: '2026-11-14T09:30:00.000Z',
    ended_at: '2026-11-14T10:12:00.000Z',
    end_reason: 'inferred',
    title: 'Fix the ferry timetable',
    initial_prompt: 'The timetable is off by one hour in winter.',
    summary: null,
    work_kind: null,
    summary_kind: null,
    cwd: '/home/mira/harbour',
    git_branch: 'main',
    model: 'claude-opus-5-5',
    models: ['claude-opus-5-5'],
    source: null,
    cc_version: '2.1.325',
    total_messages: 12,
    user_messages: 3,
    assistant_messages: 9,
    tool_use_count: 5,
    thinking_blocks: 1,
    subagent_count: 0,
    tokens_in: 120,
    tokens_out: 3_400,
    cache_read_tokens: 88_000,
    cache_write_tokens: 12_000,
    cost_estimate_usd: 0.1843,
    unknown_models: [],
    service_tiers: [],
    speeds: [],
    inference_geos: [],
    web_searches: null,
    web_fetches: null,
    duration_ms: 2_520_000,
    tags: [],
    metadata: {},
    work: null,
    remote_env_id: null,
    created_at: '2026-11-14T09:30:00.000Z',
    updated_at: '2026-11-14T10:12:00.000Z',
    files: [],
    team: null,
    is_pinned: false,
    notes: [],
    lines: { total: 20, records: 20, salvaged: 0, skipped: 0 },
    anomalies: {},
    ...fields,
  };
}

/** The facts about a call; all empty unless given. */
export function makeCallFacts(fields: Partial<CallFacts> = {}): CallFacts {
  return {
    status: 'ok',
    denial: null,
    exit_code: null,
    duration_ms: null,
    waiting_ms: null,
    started_at: null,
    ended_at: null,
    spawned_agent_id: null,
    files: [],
    details: {},
    result_ordinal: null,
    patch: null,
    stderr: null,
    ...fields,
  };
}

export function makeBlock(fields: Partial<BlockRow> & { readonly block_type: string }): BlockRow {
  return {
    id: 'block',
    block_order: 0,
    content_text: null,
    thinking_text: null,
    tool_name: null,
    tool_use_id: null,
    tool_input: null,
    tool_result_id: null,
    is_error: null,
    call_status: null,
    call_denial: null,
    call: null,
    result_text: null,
    metadata: {},
    ...fields,
  };
}

export function makeMessage(fields: Partial<MessageRow> & { readonly ordinal: number }): MessageRow {
  return {
    id: `message-${fields.ordinal}`,
    line_number: fields.ordinal + 1,
    agent_id: null,
    message_type: 'assistant',
    subtype: null,
    role: 'assistant',
    origin: 'model',
    uuid: null,
    parent_uuid: null,
    model: 'claude-opus-5-5',
    tokens_in: 10,
    tokens_out: 20,
    cache_read: 100,
    cache_write: 0,
    cost_usd: 0.001,
    compact_sequence: 0,
    is_compacted: false,
    is_inherited: false,
    is_meta: false,
    timestamp: '2026-11-14T09:30:00.000Z',
    has_text: true,
    has_thinking: false,
    has_tool_use: false,
    has_tool_result: false,
    cc_version: null,
    entrypoint: null,
    user_type: null,
    team_name: null,
    permission_mode: null,
    stop_reason: null,
    service_tier: null,
    speed: null,
    inference_geo: null,
    iterations: null,
    web_searches: null,
    web_fetches: null,
    thinking_tokens: null,
    cache_miss_reason: null,
    cache_missed_tokens: null,
    metadata: {},
    content_blocks: [],
    ...fields,
  };
}

export function makeSubagent(fields: Partial<Subagent> & { readonly agent_id: string }): Subagent {
  const stats = { messages: 2, tool_calls: 1, wall_ms: 90_000 } as Subagent['stats'];
  const named = { agent_type: 'Explore', agent_name: null, description: 'Look around', cost_nanos: 5e8 };
  return { ...named, model: null, status: null, spawning_tool_use_id: null, stats, ...fields } as Subagent;
}

export function makeHit(fields: Partial<SearchHit> = {}): SearchHit {
  return {
    kind: 'prompt',
    message_id: 'message-1',
    ordinal: 1,
    block: 0,
    tool_name: null,
    timestamp: '2026-11-14T09:30:00.000Z',
    snippet: 'the timetable is off',
    highlights: [[4, 13]],
    input_field: null,
    call: null,
    ...fields,
  };
}

export function makeFoundSession(fields: Partial<FoundSession> & { readonly session_id: string }): FoundSession {
  const hits = fields.hits ?? [makeHit()];
  return {
    title: 'Fix the ferry timetable',
    workspace_name: 'ferry',
    started_at: '2026-11-14T09:30:00.000Z',
    lifecycle: 'parsed',
    git_branch: 'main',
    model: 'claude-opus-5-5',
    cost_estimate_usd: 0.5,
    places: hits.length,
    hits,
    ...fields,
  };
}

export function makeStatus(fields: Partial<StatusReport> = {}): StatusReport {
  return {
    version: '0.2.0',
    mode: 'embedded',
    is_demo: false,
    claude_home: '/home/mira/.claude',
    claude_home_exists: true,
    claude_homes: [{ path: '/home/mira/.claude', exists: true, same_as: null }],
    data_home: '/home/mira/.fuel-code',
    live: { count: 0, sessions: [] },
    newest_session_at: null,
    today: { day: '2026-11-15', timezone: 'UTC', ...NO_USAGE },
    this_month: { month: '2026-11', ...NO_USAGE },
    sessions: 1,
    messages: 12,
    files: 1,
    archived_bytes: 120_000,
    stored_bytes: 20_000,
    import: {
      phase: 'idle',
      files_total: 1,
      files_done: 1,
      bytes_total: 120_000,
      bytes_done: 120_000,
      sessions_to_index: 1,
      sessions_indexed: 1,
      error: null,
    },
    ...fields,
  };
}
