import { z } from 'zod';
import { BlockSchema, contentSchema } from './block.ts';
import { anything, bool, fields, named, num, openFields, opt, opts, str, word } from './kit.ts';

/** What tools may do without asking. */
export const permissionMode = word(
  'default',
  'acceptEdits',
  'bypassPermissions',
  'plan',
  'auto',
  'dontAsk',
  'delegate',
);

/** Origin of a prompt. */
export const promptOrigin = openFields({
  kind: opt(
    word(
      'human',
      'task-notification',
      'coordinator',
      'peer',
      'teammate',
      'system',
      'sdk',
      'scheduled',
      'auto-continuation',
      'channel',
      'plugin',
      'voice-call',
      'observer-activity',
      'suggestion',
      'unclassified',
    ),
  ),
});

/** The program that started the client. */
const entrypoint = word(
  'cli',
  'mcp',
  'sdk-cli',
  'sdk-ts',
  'sdk-py',
  'claude-desktop',
  'claude-vscode',
  'claude-code-github-action',
  'claude-in-teams',
  'local-agent',
  'local_agent',
  'remote',
  'remote_cowork',
  'remote_desktop',
  'remote_mobile',
  'ssh-remote',
  'bench',
  'unknown',
);

/** Fields of every line in the uuid chain: user, assistant, system, attachment, progress. */
export const chainFields = {
  uuid: str,
  ...opts(str, 'parentUuid', 'logicalParentUuid'),
  sessionId: str,
  /** The id the process was started with; differs from sessionId after /clear and on lines copied by a fork. */
  ...opts(str, 'session_id', 'sessionKind'),
  timestamp: str,
  ...opts(bool, 'isSidechain', 'isMeta'),
  /** `external` outside Anthropic. */
  userType: opt(str),
  entrypoint: opt(entrypoint),
  ...opts(str, 'cwd', 'version', 'gitBranch', 'slug', 'agentId', 'agentName', 'teamName'),
  forkedFrom: opt(fields({ sessionId: opt(str), messageUuid: opt(str) })),
};

/** Fields a line outside the chain may have. Most have only the session id. */
export const stateFields = opts(str, 'sessionId', 'session_id', 'timestamp', 'uuid', 'agentId', 'version');

const cacheCreation = fields({ ephemeral_5m_input_tokens: opt(num), ephemeral_1h_input_tokens: opt(num) });

const tokenFields = {
  input_tokens: num,
  output_tokens: num,
  ...opts(num, 'cache_creation_input_tokens', 'cache_read_input_tokens'),
  cache_creation: opt(cacheCreation),
};

const iteration = fields({
  ...tokenFields,
  type: opt(word('message', 'fallback_message', 'compaction', 'advisor_message')),
  model: opt(str),
});

const usage = named(
  'usage',
  'Token counts of one API message, repeated on each of its lines.',
  fields({
    ...tokenFields,
    server_tool_use: opt(fields({ web_search_requests: opt(num), web_fetch_requests: opt(num) })),
    output_tokens_details: opt(fields({ thinking_tokens: opt(num) })),
    service_tier: opt(word('standard', 'priority', 'batch', 'flex')),
    inference_geo: opt(word('not_available', 'global', 'us', 'eu', '')),
    speed: opt(word('standard', 'fast')),
    iterations: opt(z.array(iteration)),
    fallback_credit: opt(anything),
  }),
);

export interface UsageFields extends z.infer<typeof usage> {}

/** Token usage of a message as reported by the API. */
export const UsageSchema: z.ZodType<UsageFields> = usage;

/** `message` of a user line. */
export const userMessage = fields({ role: opt(word('user')), content: contentSchema });

const cacheMiss = fields({
  type: opt(
    word(
      'model_changed',
      'system_changed',
      'tools_changed',
      'messages_changed',
      'previous_message_not_found',
      'unavailable',
    ),
  ),
  cache_missed_input_tokens: opt(num),
});

const answerFields = {
  id: opt(str),
  type: opt(word('message')),
  role: opt(word('assistant')),
  model: opt(str),
  stop_reason: opt(
    word(
      'end_turn',
      'tool_use',
      'stop_sequence',
      'max_tokens',
      'refusal',
      'pause_turn',
      'model_context_window_exceeded',
      'compaction',
    ),
  ),
  stop_sequence: opt(str),
  stop_details: opt(anything),
  usage: opt(UsageSchema),
  container: opt(anything),
  context_management: opt(openFields({ applied_edits: opt(z.array(anything)) })),
  diagnostics: opt(fields({ cache_miss_reason: opt(cacheMiss) })),
  ...opts(anything, 'input_transformations', 'pausedResponses', 'resumable'),
};

/** `message` of an assistant line: one answer of the Messages API, split into one block per line. */
export const assistantMessage = fields({ ...answerFields, content: z.array(BlockSchema) });

/** A line inside another one: agent_progress, and results of the old Batch tool. No chain fields. */
export const nestedLine = fields({
  ...opts(str, 'type', 'uuid', 'timestamp', 'requestId'),
  message: opt(fields({ ...answerFields, role: opt(word('user', 'assistant')), content: opt(contentSchema) })),
  toolUseResult: opt(anything),
  ...opts(bool, 'isMeta', 'isApiErrorMessage'),
  ...opts(num, 'costUSD', 'durationMs'),
  imagePasteIds: opt(z.array(num)),
  ...opts(str, 'permissionMode', 'sourceToolAssistantUUID'),
});
