import type { Subagent } from '../../../src/api/agents.ts';

const NO_STATS: Subagent['stats'] = {
  messages: 2,
  user_messages: 1,
  assistant_messages: 1,
  tool_calls: 0,
  tool_errors: 0,
  thinking_blocks: 0,
  tokens: { input: 0, output: 0, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 },
  cost_nanos: null,
  unpriced_messages: 0,
  files_read: 0,
  files_written: 0,
  lines_added: 0,
  lines_removed: 0,
  started_at: null,
  ended_at: null,
  wall_ms: null,
  active_ms: null,
};

/** A sub-agent with only the given facts. */
export function makeSubagent(known: Partial<Subagent>): Subagent {
  return {
    position: 0,
    agent_id: 'a0123456789abcdef',
    parent_agent_id: null,
    spawning_tool_use_id: null,
    linked_by: null,
    source: 'file',
    agent_type: null,
    agent_name: null,
    team_name: null,
    description: null,
    model: null,
    status: null,
    run_in_background: false,
    spawn_depth: null,
    worktree_path: null,
    cost_nanos: null,
    reported: { tokens: null, tool_uses: null, duration_ms: null },
    stats: NO_STATS,
    last_line: null,
    ...known,
  };
}
