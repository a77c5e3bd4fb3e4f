import { z } from 'zod';
import { assistantMessage, chainFields, permissionMode, promptOrigin, userMessage } from '../message.ts';
import { anything, bool, fields, named, num, openFields, opt, str, strs, word } from '../kit.ts';
import { ToolUseResultSchema } from '../tool-result/table.ts';
import { todoItem } from '../tool-result/agent.ts';

const trigger = fields({ start: opt(num), end: opt(num), text: opt(str) });

/** Two generations: level with trigger words (until 2.1.2), then a token budget (2.1.15 to 2.1.50). */
const thinkingMetadata = fields({
  level: opt(word('none', 'low', 'medium', 'high')),
  disabled: opt(bool),
  triggers: opt(z.array(z.union([trigger, str]))),
  maxThinkingTokens: opt(num),
});

const marks = {
  isCompactSummary: opt(bool),
  isVisibleInTranscriptOnly: opt(bool),
  repeatsCompactSummary: opt(bool),
  summarizedTurnPromptUuids: opt(strs),
  interruptedMessageId: opt(str),
  refusedMessageId: opt(str),
  isVirtual: opt(bool),
  ephemeral: opt(bool),
  modelOnlyText: opt(anything),
  summarizeMetadata: opt(anything),
  replacesSpan: opt(anything),
  usageLimitNote: opt(anything),
  holdsPersonsWords: opt(bool),
  userFeedback: opt(anything),
  interruptedByShutdown: opt(bool),
};

const permissionDecision = openFields({
  decision: opt(word('accept', 'reject')),
  source: opt(word('config', 'hook', 'user_temporary', 'user_permanent', 'user_reject', 'user_abort')),
  reasonType: opt(str),
  reasonCode: opt(str),
  ruleSource: opt(str),
  grantScope: opt(str),
});

/** How permission for a tool was decided, and the outcome. */
const permissionFields = {
  toolDenialKind: opt(
    word(
      'user-rejected',
      'permission-rule',
      'interrupted',
      'cancelled',
      'automode-unavailable',
      'automode-blocked',
      'automode-parsing-error',
    ),
  ),
  remoteToolDenialKind: opt(str),
  toolDenialEndsTurn: opt(bool),
  toolDenialMonitorBlocked: opt(bool),
  toolDenialUnanswered: opt(bool),
  toolDenialAfterRun: opt(bool),
  toolDenialFromHost: opt(bool),
  permissionDecision: opt(permissionDecision),
  toolEndsTurn: opt(bool),
  toolResultRemedy: opt(anything),
  toolResultTypedCommand: opt(anything),
  sandboxed: opt(bool),
  sandboxViolations: opt(anything),
  classifierMetaLines: opt(anything),
  classifierBoundary: opt(bool),
  serverClassifierContext: opt(anything),
  hostClassifierContext: opt(anything),
};

const promptFields = {
  permissionMode: opt(permissionMode),
  promptId: opt(str),
  promptSource: opt(word('typed', 'sdk', 'system', 'queued')),
  turnOrigin: opt(word('human', 'sdk', 'task_notification')),
  origin: opt(promptOrigin),
  turnPosition: opt(fields({ promptIndex: opt(num), turnIndex: opt(num) })),
  turnCompanion: opt(anything),
  queuePriority: opt(word('later')),
  queueSkipAttachments: opt(bool),
  scheduledTaskId: opt(str),
  imagePasteIds: opt(z.array(num)),
  planContent: opt(str),
  thinkingMetadata: opt(thinkingMetadata),
  todos: opt(z.array(todoItem)),
};

const toolFields = {
  toolUseResult: opt(ToolUseResultSchema),
  sourceToolUseID: opt(str),
  sourceToolAssistantUUID: opt(str),
  mcpMeta: opt(fields({ structuredContent: opt(anything), _meta: opt(anything) })),
  mcpCallNotReadOnly: opt(word('declared', 'no_hint')),
  connectorFileLines: opt(anything),
};

const userFields = { ...chainFields, ...marks, ...permissionFields, ...promptFields, ...toolFields };

export const UserLineSchema = named(
  'user',
  'A person’s prompt, a tool result, or text that the client adds in the user role.',
  fields({ type: z.literal('user'), ...userFields, message: userMessage }),
);

const errorFields = {
  isApiErrorMessage: opt(bool),
  error: opt(
    word(
      'unknown',
      'rate_limit',
      'invalid_request',
      'authentication_failed',
      'billing_error',
      'server_error',
      'max_output_tokens',
    ),
  ),
  apiError: opt(str),
  apiErrorStatus: opt(z.union([num, str])),
  apiErrorType: opt(str),
  errorDetails: opt(anything),
  isAbortedMidStream: opt(bool),
  failedResponseHadNoToolCall: opt(bool),
};

const originFields = {
  attributionAgent: opt(str),
  attributionSkill: opt(str),
  attributionPlugin: opt(str),
  attributionMcpServer: opt(str),
  attributionMcpTool: opt(str),
  madeBy: opt(word('model', 'other', 'input')),
};

/** Auto mode: the request sent to a classifier on the server, and what it changed. */
const classifierFields = {
  serverClassifierRequest: opt(str),
  serverClassifierResults: opt(anything),
  serverClassifierReviewLeftBehind: opt(anything),
  serverClassifierInputRewritten: opt(bool),
  serverClassifierOwnInputRewritten: opt(bool),
  serverClassifierRewrite: opt(anything),
};

const requestFields = {
  requestId: opt(str),
  requestRef: opt(str),
  requestedModel: opt(str),
  apiBlockIndex: opt(num),
  effort: opt(word('minimal', 'low', 'medium', 'high', 'xhigh', 'max')),
  perTurnEffort: opt(anything),
  promptCacheRequested: opt(anything),
  thinkingDisplay: opt(word('omitted', 'updates')),
  thinkingDurationMs: opt(num),
  toolInputStreamMs: opt(num),
  ...classifierFields,
  /** Dollars, 0.2.x to 1.0.1 only. */
  costUSD: opt(num),
  durationMs: opt(num),
};

export const AssistantLineSchema = named(
  'assistant',
  'One block of an answer; the lines of one answer share message.id.',
  fields({
    type: z.literal('assistant'),
    ...chainFields,
    ...requestFields,
    ...errorFields,
    ...originFields,
    message: assistantMessage,
  }),
);
