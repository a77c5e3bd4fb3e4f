import { z } from 'zod';
import { MAX_PAGE_ROWS } from '../domain/requests.ts';
import { DENIALS, TOOL_STATUSES } from '../domain/transcript-structure.ts';
import { type AnswerOf, queryEndpoint, shape } from './endpoint.ts';
import {
  after,
  choices,
  count,
  countOrNull,
  jsonObject,
  limit,
  MAX_ID_CHARS,
  plainText,
  text,
  textOrNull,
  texts,
} from './values.ts';

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

/** A row of a list within a session: its place in the transcript, and what it says. */
function listRow<const S extends z.ZodRawShape>(name: string, fields: S) {
  return shape(name, z.strictObject({ position: count, ...fields }));
}

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

export type TurnRow = z.infer<typeof turn>;

export const branch = listRow('BranchPoint', {
  uuid: text,
  message_id: textOrNull,
  agent_id: textOrNull,
  turn_ids: texts,
  current_turn_id: text,
});
export type BranchPoint = z.infer<typeof branch>;

const segment = listRow('Segment', {
  agent_id: textOrNull,
  compact_sequence: count,
  kind: text,
  compaction_id: textOrNull,
  first_message_id: text,
  last_message_id: text,
  stats: levelStats,
});

export const compaction = listRow('Compaction', {
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
});
export type Compaction = z.infer<typeof compaction>;

const fileTouch = z.strictObject({
  path: text,
  action: z.enum(['read', 'create', 'edit']),
  lines_added: count,
  lines_removed: count,
});
export type FileTouchRow = z.infer<typeof fileTouch>;

export const toolCall = listRow('ToolCall', {
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
});
export type ToolCall = z.infer<typeof toolCall>;

const touchedFile = listRow('TouchedFile', {
  path: text,
  reads: count,
  writes: count,
  lines_added: count,
  lines_removed: count,
});

const link = listRow('SessionLink', { kind: text, other_session_id: text, lines: count, uuid: textOrNull });

const apiError = listRow('ApiError', {
  message_id: text,
  agent_id: textOrNull,
  timestamp: textOrNull,
  status: countOrNull,
  kind: textOrNull,
  text: textOrNull,
  retry_attempt: countOrNull,
  max_retries: countOrNull,
  retry_in_ms: countOrNull,
});

const plan = listRow('Plan', {
  status: text,
  tool_use_id: textOrNull,
  message_id: textOrNull,
  file_path: textOrNull,
  planning_session_id: textOrNull,
  characters: count,
  text: textOrNull,
});
export type Plan = z.infer<typeof plan>;

const todo = listRow('Todo', {
  id: text,
  list: text,
  agent_id: textOrNull,
  text,
  description: textOrNull,
  owner: textOrNull,
  status: text,
});
export type Todo = z.infer<typeof todo>;

const skill = listRow('Skill', {
  name: text,
  args: textOrNull,
  used_by: text,
  agent_id: textOrNull,
  tool_use_id: textOrNull,
  message_id: textOrNull,
  status: text,
  timestamp: textOrNull,
});
export type Skill = z.infer<typeof skill>;

const question = listRow('Question', {
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
});
export type Question = z.infer<typeof question>;

const worktree = listRow('Worktree', {
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
});
export type Worktree = z.infer<typeof worktree>;

const document = shape(
  'Document',
  z.strictObject({ id: text, kind: text, path: text, title: textOrNull, text, timestamp: textOrNull }),
);
export type DocumentRow = z.infer<typeof document>;

const pullRequest = listRow('PullRequest', { number: countOrNull, url: textOrNull, repository: textOrNull });

/** A list in transcript order, one page at a time. */
export function pageEndpoint<const K extends string, S extends z.ZodType>(about: string, name: K, row: S) {
  return queryEndpoint({ about, query: z.strictObject(pageQuery), answer: pageOf(name, row) });
}

function pageOf<K extends string, S extends z.ZodType>(name: K, row: S) {
  const rows = z.array(row).readonly();
  return z.strictObject({ next_after: countOrNull, ...({ [name]: rows } as { readonly [N in K]: typeof rows }) });
}

const pageQuery = { after, limit: limit(MAX_PAGE_ROWS, MAX_PAGE_ROWS) };

/** The structure of a session apart from its messages, each list in transcript order. */
export const structureEndpoints = {
  'GET /sessions/:id/turns': pageEndpoint(
    'Turns: a prompt and everything that followed it, with counts, tokens, cost and duration.',
    'turns',
    turn,
  ),
  'GET /sessions/:id/branches': pageEndpoint(
    'Points where the conversation was rewound, with the prompts that follow.',
    'branches',
    branch,
  ),
  'GET /sessions/:id/segments': pageEndpoint(
    'Segments between compactions, with counts, tokens and cost.',
    'segments',
    segment,
  ),
  'GET /sessions/:id/compactions': pageEndpoint(
    'Compactions: trigger, tokens saved and messages preserved.',
    'compactions',
    compaction,
  ),
  'GET /sessions/:id/tool-calls': queryEndpoint({
    about: 'Tool calls with status, duration, exit code and the files they touched.',
    query: z.strictObject({
      ...pageQuery,
      name: plainText(MAX_ID_CHARS).optional().meta({ description: 'Only calls of this tool.' }),
      status: choices(TOOL_STATUSES).optional(),
      denial: choices(DENIALS).optional().meta({ description: 'Only calls denied by this.' }),
    }),
    answer: pageOf('tool_calls', toolCall),
  }),
  'GET /sessions/:id/files': pageEndpoint(
    'Files that tools read or wrote, with lines added and removed.',
    'files',
    touchedFile,
  ),
  'GET /sessions/:id/links': pageEndpoint(
    'Links to other sessions: forked, branched, shared, copied, cleared, continued, planned.',
    'links',
    link,
  ),
  'GET /sessions/:id/api-errors': pageEndpoint('API errors and retries.', 'api_errors', apiError),
  'GET /sessions/:id/plans': pageEndpoint(
    'Plans with their text: proposed, approved, rejected or implemented.',
    'plans',
    plan,
  ),
  'GET /sessions/:id/todos': pageEndpoint(
    'To-do lists and tasks in their final state; failed calls are ignored.',
    'todos',
    todo,
  ),
  'GET /sessions/:id/skills': pageEndpoint('Skills loaded by the model or the user.', 'skills', skill),
  'GET /sessions/:id/questions': pageEndpoint(
    'Questions the model asked (AskUserQuestion), with options and answers.',
    'questions',
    question,
  ),
  'GET /sessions/:id/worktrees': pageEndpoint(
    'Git worktrees that the session or its sub-agents worked in.',
    'worktrees',
    worktree,
  ),
  'GET /sessions/:id/documents': pageEndpoint(
    'Plan, to-do, task and session memory files, and prompts as typed.',
    'documents',
    document,
  ),
  'GET /sessions/:id/pull-requests': pageEndpoint('Pull requests linked to the session.', 'pull_requests', pullRequest),
};

export type DocumentPage = AnswerOf<(typeof structureEndpoints)['GET /sessions/:id/documents']>;
