import { z } from 'zod';
import { shape } from '../endpoint.ts';
import { count, countOrNull, jsonObject, text, textOrNull, texts } from './json.ts';

const tokens = z.strictObject({
  input: count,
  output: count,
  cache_read: count,
  cache_write_5m: count,
  cache_write_1h: count,
});

export const levelStats = shape(
  'LevelStats',
  z.strictObject({
    messages: count,
    user_messages: count,
    assistant_messages: count,
    tool_calls: count,
    tool_errors: count,
    thinking_blocks: count,
    tokens,
    cost_nanos: countOrNull,
    unpriced_messages: count,
    files_read: count,
    files_written: count,
    lines_added: count,
    lines_removed: count,
    started_at: textOrNull,
    ended_at: textOrNull,
    wall_ms: countOrNull,
    active_ms: countOrNull,
  }),
);
export type LevelStatsRow = z.infer<typeof levelStats>;

const turn = shape(
  'Turn',
  z.strictObject({
    ordinal: count,
    id: text,
    agent_id: textOrNull,
    origin: text,
    parent_turn_id: textOrNull,
    is_branch: z.boolean(),
    compact_sequence: count,
    duration_ms: countOrNull,
    duration_source: textOrNull,
    cost_nanos: countOrNull,
    stats: levelStats,
  }),
);

const branch = shape(
  'BranchPoint',
  z.strictObject({
    position: count,
    uuid: text,
    message_id: textOrNull,
    agent_id: textOrNull,
    turn_ids: texts,
    current_turn_id: text,
  }),
);
export type BranchPoint = z.infer<typeof branch>;

const segment = shape(
  'Segment',
  z.strictObject({
    position: count,
    agent_id: textOrNull,
    compact_sequence: count,
    kind: text,
    compaction_id: textOrNull,
    first_message_id: text,
    last_message_id: text,
    stats: levelStats,
  }),
);

const compaction = shape(
  'Compaction',
  z.strictObject({
    position: count,
    id: text,
    agent_id: textOrNull,
    kind: text,
    compact_sequence: count,
    trigger_name: textOrNull,
    pre_tokens: countOrNull,
    post_tokens: countOrNull,
    saved_tokens: countOrNull,
    dropped_tokens: countOrNull,
    duration_ms: countOrNull,
    summary_message_id: textOrNull,
    logical_parent_uuid: textOrNull,
    preserved_uuids: texts,
    cleared_tool_use_ids: texts,
    timestamp: textOrNull,
  }),
);
export type Compaction = z.infer<typeof compaction>;

const fileTouch = z.strictObject({
  path: text,
  action: z.enum(['read', 'create', 'edit']),
  lines_added: count,
  lines_removed: count,
});
export type FileTouchRow = z.infer<typeof fileTouch>;

export const toolCall = shape(
  'ToolCall',
  z.strictObject({
    position: count,
    id: text,
    name: textOrNull,
    agent_id: textOrNull,
    message_id: textOrNull,
    result_message_id: textOrNull,
    turn_id: textOrNull,
    result_count: count,
    status: text,
    denial: textOrNull,
    exit_code: countOrNull,
    duration_ms: countOrNull,
    duration_source: textOrNull,
    waiting_ms: countOrNull,
    started_at: textOrNull,
    ended_at: textOrNull,
    is_inherited: z.boolean(),
    spawned_agent_id: textOrNull,
    caller: textOrNull,
    persisted_file: textOrNull,
    files: z.array(fileTouch).readonly(),
    details: jsonObject,
  }),
);
export type ToolCall = z.infer<typeof toolCall>;

const touchedFile = shape(
  'TouchedFile',
  z.strictObject({
    position: count,
    path: text,
    reads: count,
    writes: count,
    lines_added: count,
    lines_removed: count,
  }),
);

const subagent = shape(
  'Subagent',
  z.strictObject({
    position: count,
    agent_id: text,
    parent_agent_id: textOrNull,
    spawning_tool_use_id: textOrNull,
    linked_by: textOrNull,
    source: text,
    agent_type: textOrNull,
    agent_name: textOrNull,
    team_name: textOrNull,
    description: textOrNull,
    model: textOrNull,
    status: textOrNull,
    run_in_background: z.boolean(),
    spawn_depth: countOrNull,
    worktree_path: textOrNull,
    cost_nanos: countOrNull,
    reported: z.strictObject({ tokens: countOrNull, tool_uses: countOrNull, duration_ms: countOrNull }),
    stats: levelStats,
  }),
);
export type Subagent = z.infer<typeof subagent>;

const team = shape(
  'Team',
  z.strictObject({
    position: count,
    team_name: text,
    description: textOrNull,
    lead_agent_id: textOrNull,
    created_at: textOrNull,
    ended_at: textOrNull,
  }),
);

const teammate = shape(
  'Teammate',
  z.strictObject({
    position: count,
    team_name: text,
    id: text,
    entity_name: text,
    agent_type: textOrNull,
    model: textOrNull,
    color: textOrNull,
    agent_ids: texts,
    messages_sent: count,
    messages_received: count,
  }),
);

const link = shape(
  'SessionLink',
  z.strictObject({ position: count, kind: text, other_session_id: text, lines: count, uuid: textOrNull }),
);

const apiError = shape(
  'ApiError',
  z.strictObject({
    position: count,
    message_id: text,
    agent_id: textOrNull,
    timestamp: textOrNull,
    status: countOrNull,
    kind: textOrNull,
    text: textOrNull,
    retry_attempt: countOrNull,
    max_retries: countOrNull,
    retry_in_ms: countOrNull,
  }),
);

const plan = shape(
  'Plan',
  z.strictObject({
    position: count,
    status: text,
    tool_use_id: textOrNull,
    message_id: textOrNull,
    file_path: textOrNull,
    planning_session_id: textOrNull,
    characters: count,
    text: textOrNull,
  }),
);
export type Plan = z.infer<typeof plan>;

const todo = shape(
  'Todo',
  z.strictObject({
    position: count,
    id: text,
    list: text,
    agent_id: textOrNull,
    text,
    description: textOrNull,
    owner: textOrNull,
    status: text,
  }),
);
export type Todo = z.infer<typeof todo>;

const skill = shape(
  'Skill',
  z.strictObject({
    position: count,
    name: text,
    args: textOrNull,
    used_by: text,
    agent_id: textOrNull,
    tool_use_id: textOrNull,
    message_id: textOrNull,
    status: text,
    timestamp: textOrNull,
  }),
);
export type Skill = z.infer<typeof skill>;

const question = shape(
  'Question',
  z.strictObject({
    position: count,
    tool_use_id: text,
    agent_id: textOrNull,
    message_id: textOrNull,
    header: textOrNull,
    question: text,
    is_multi_select: z.boolean(),
    options: z.array(z.strictObject({ label: text, description: textOrNull })).readonly(),
    answer: textOrNull,
    chosen: texts,
    notes: textOrNull,
    status: text,
    answered_at: textOrNull,
  }),
);
export type Question = z.infer<typeof question>;

const worktree = shape(
  'Worktree',
  z.strictObject({
    position: count,
    name: textOrNull,
    path: textOrNull,
    branch: textOrNull,
    original_cwd: textOrNull,
    original_branch: textOrNull,
    original_commit: textOrNull,
    agent_id: textOrNull,
    entered_at: textOrNull,
    left_at: textOrNull,
    left_by: textOrNull,
  }),
);
export type Worktree = z.infer<typeof worktree>;

const document = shape(
  'Document',
  z.strictObject({ id: text, kind: text, path: text, title: textOrNull, text, timestamp: textOrNull }),
);
export type DocumentRow = z.infer<typeof document>;

const pullRequest = shape(
  'PullRequest',
  z.strictObject({ position: count, number: countOrNull, url: textOrNull, repository: textOrNull }),
);

function page<K extends string, S extends z.ZodType>(name: K, row: S) {
  const rows = z.array(row).readonly();
  return z.strictObject({ next_after: countOrNull, ...({ [name]: rows } as { readonly [N in K]: typeof rows }) });
}

export const turnPage = page('turns', turn);
export const branchPage = page('branches', branch);
export const segmentPage = page('segments', segment);
export const compactionPage = page('compactions', compaction);
export const toolCallPage = page('tool_calls', toolCall);
export const touchedFilePage = page('files', touchedFile);
export const subagentPage = page('subagents', subagent);
export const teamPage = z.strictObject({ teams: z.array(team).readonly(), teammates: z.array(teammate).readonly() });
export const linkPage = page('links', link);
export const apiErrorPage = page('api_errors', apiError);
export const planPage = page('plans', plan);
export const todoPage = page('todos', todo);
export const skillPage = page('skills', skill);
export const questionPage = page('questions', question);
export const worktreePage = page('worktrees', worktree);
export const documentPage = page('documents', document);
export const pullRequestPage = page('pull_requests', pullRequest);
export type DocumentPage = z.infer<typeof documentPage>;
