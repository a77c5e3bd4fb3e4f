import { z } from 'zod';
import { anything, bool, fields, named, num, openFields, opt, opts, str, strs, variantsBy, word } from '../kit.ts';
import { chainFields, nestedLine } from '../message.ts';

const systemFields = {
  type: z.literal('system'),
  ...chainFields,
  content: opt(str),
  level: opt(word('info', 'notice', 'suggestion', 'warning', 'error')),
  toolUseID: opt(str),
};

function subtype<const T extends string, S extends z.core.$ZodLooseShape>(name: T, description: string, shape: S) {
  return named(`system.${name}`, description, fields({ subtype: z.literal(name), ...systemFields, ...shape }));
}

const UNSEEN = 'Name found in the client’s program; in none of our files.';

function openSubtype<const T extends string>(name: T, description: string) {
  return named(`system.${name}`, description, openFields({ subtype: z.literal(name), ...systemFields }));
}

const preserved = {
  preservedSegment: opt(fields({ headUuid: opt(str), anchorUuid: opt(str), tailUuid: opt(str) })),
  preservedMessages: opt(fields({ anchorUuid: opt(str), uuids: opt(strs), allUuids: opt(strs) })),
};

const compactMetadata = fields({
  trigger: opt(word('manual', 'auto')),
  ...opts(num, 'preTokens', 'postTokens', 'durationMs', 'cumulativeDroppedTokens', 'messagesSummarized'),
  ...opts(strs, 'preCompactDiscoveredTools', 'preCompactOrganizations'),
  preCompactOrganizationsCoverStart: opt(bool),
  /** Names found in the client's program; in none of our files. */
  ...opts(anything, 'denyLists', 'picturesToHide', 'precomputed', 'runningTurnSends'),
  ...opts(anything, 'preCompactArtifactReadVersions', 'preCompactTaskList'),
  /** The prompt whose turn the compaction interrupted. */
  runningTurnPrompt: opt(openFields({ clientPlatform: opt(str), traceparent: opt(str) })),
  ...preserved,
});

const microcompactMetadata = fields({
  trigger: opt(word('auto')),
  ...opts(num, 'preTokens', 'tokensSaved'),
  ...opts(strs, 'compactedToolIds', 'clearedAttachmentUUIDs'),
});

/** Returned by the network library or the API. Headers may contain cookies and account ids: redact on import. */
const apiErrorCause = openFields({
  ...opts(str, 'message', 'formatted', 'code', 'requestId', 'requestID'),
  status: opt(num),
  ...opts(anything, 'headers', 'cause', 'error'),
});

const hookInfo = fields({ command: opt(str), durationMs: opt(num), promptText: opt(str) });

/** Subtypes of `system` lines. */
export const SYSTEM_SCHEMAS = {
  compact_boundary: subtype('compact_boundary', 'The conversation was compacted; a new root of the chain.', {
    compactMetadata: opt(compactMetadata),
  }),
  microcompact_boundary: subtype('microcompact_boundary', 'Old tool results were dropped from the context.', {
    microcompactMetadata: opt(microcompactMetadata),
  }),
  turn_duration: subtype(
    'turn_duration',
    'End of a turn in interactive mode, with its wall-clock time.',
    opts(num, 'durationMs', 'messageCount', 'pendingBackgroundAgentCount', 'pendingWorkflowCount'),
  ),
  stop_hook_summary: subtype('stop_hook_summary', 'The Stop hooks that ran at the end of a turn.', {
    hookCount: opt(num),
    hookInfos: opt(z.array(hookInfo)),
    hookErrors: opt(z.array(anything)),
    /** Positions in `hookErrors` of hooks that failed. */
    failedHookErrorIndexes: opt(z.array(num)),
    hookAdditionalContext: opt(z.array(anything)),
    ...opts(bool, 'preventedContinuation', 'hasOutput'),
    ...opts(str, 'stopReason', 'hookLabel'),
    totalDurationMs: opt(num),
  }),
  api_error: subtype('api_error', 'A request failed and will be retried.', {
    error: opt(z.union([apiErrorCause, str])),
    cause: opt(anything),
    ...opts(num, 'retryInMs', 'retryAttempt', 'maxRetries'),
    source: opt(str),
  }),
  local_command: subtype('local_command', 'A slash command that needs no model, or its output.', {
    commandRun: opt(fields({ command: opt(str), args: opt(str) })),
    commandOutcome: opt(openFields({ kind: opt(word('failed')) })),
  }),
  informational: subtype('informational', 'A notice to the person.', {
    ...opts(anything, 'promptSubmitEnding', 'highlight', 'aboutLine'),
    preventContinuation: opt(bool),
    ...opts(str, 'launchedAgentId', 'tag'),
  }),
  away_summary: subtype('away_summary', 'What happened while the person was away.', {}),
  bridge_status: subtype('bridge_status', 'Remote control is active; URL to continue at.', { url: opt(str) }),
  scheduled_task_fire: subtype('scheduled_task_fire', 'A wake-up or scheduled prompt fired.', {
    ...opts(str, 'taskId', 'cron', 'prompt', 'taskKind', 'cronKind'),
    noOpStreak: opt(num),
    streakStartedAt: opt(anything),
    foldedUuids: opt(strs),
  }),
  model_refusal_fallback: subtype('model_refusal_fallback', 'A model refused and another one took over.', {
    ...opts(str, 'originalModel', 'fallbackModel'),
    direction: opt(word('retry')),
    ...opts(str, 'trigger', 'requestId', 'apiRefusalCategory', 'apiRefusalExplanation', 'refusedUserMessageUuid'),
    retractedMessageUuids: opt(strs),
    neutralizedByFork: opt(bool),
  }),
  agents_killed: openSubtype(
    'agents_killed',
    'Background agents were stopped. Reported by others; in none of our files.',
  ),
  cloud_session_status: openSubtype('cloud_session_status', UNSEEN),
  file_snapshot: openSubtype('file_snapshot', UNSEEN),
  memory_saved: openSubtype('memory_saved', UNSEEN),
  model_consent_fallback: openSubtype('model_consent_fallback', UNSEEN),
  model_fallback: openSubtype('model_fallback', UNSEEN),
  model_refusal_no_fallback: openSubtype('model_refusal_no_fallback', UNSEEN),
  permission_retry: openSubtype('permission_retry', UNSEEN),
  voice_call_talk: openSubtype('voice_call_talk', UNSEEN),
} satisfies Record<string, z.ZodType>;

/** Notices had no subtype until 1.0.56. */
const PlainSystemSchema = named(
  'system.plain',
  'Notice without subtype (until 1.0.56).',
  fields({ subtype: opt(z.null()), ...systemFields }),
);

export const SystemLineSchema = variantsBy('subtype', SYSTEM_SCHEMAS, PlainSystemSchema);

function data<const T extends string, S extends z.core.$ZodLooseShape>(type: T, description: string, shape: S) {
  return named(`progress.${type}`, description, fields({ type: z.literal(type), ...shape }));
}

/** Kinds of `progress` lines, by `data.type`. */
export const PROGRESS_SCHEMAS = {
  bash_progress: data('bash_progress', 'Output of a running command.', {
    ...opts(str, 'output', 'fullOutput', 'taskId'),
    ...opts(num, 'elapsedTimeSeconds', 'totalLines', 'totalBytes', 'timeoutMs'),
  }),
  hook_progress: data(
    'hook_progress',
    'A hook is running.',
    opts(str, 'hookEvent', 'hookName', 'command', 'promptText', 'statusMessage'),
  ),
  agent_progress: data('agent_progress', 'A message of a sub-agent, with its usage.', {
    ...opts(str, 'agentId', 'prompt'),
    message: opt(nestedLine),
    normalizedMessages: opt(z.array(nestedLine)),
    resume: opt(anything),
  }),
  mcp_progress: data('mcp_progress', 'An MCP tool is running.', {
    ...opts(str, 'serverName', 'toolName', 'status', 'progressMessage'),
    ...opts(num, 'elapsedTimeMs', 'progress', 'total'),
  }),
  waiting_for_task: data(
    'waiting_for_task',
    'The client is waiting for a background task.',
    opts(str, 'taskDescription', 'taskType'),
  ),
  query_update: data('query_update', 'A web search refines its query.', { query: opt(str) }),
  search_results_received: data('search_results_received', 'Web search results arrived.', {
    query: opt(str),
    resultCount: opt(num),
  }),
} satisfies Record<string, z.ZodType>;

export const ProgressLineSchema = named(
  'progress',
  'State of a running tool, 2.1.7 to 2.1.81. Part of the uuid chain.',
  fields({
    type: z.literal('progress'),
    ...chainFields,
    ...opts(str, 'toolUseID', 'parentToolUseID'),
    data: variantsBy('type', PROGRESS_SCHEMAS),
  }),
);
