import { z } from 'zod';
import { anything, bool, fields, named, num, openFields, opt, opts, str, strs, word } from '../kit.ts';
import { assistantMessage, chainFields, permissionMode, promptOrigin, userMessage } from '../message.ts';
import { todoItem } from '../tool-result/agent.ts';
import { ToolUseResultSchema } from '../tool-result/table.ts';

const trigger = fields({ start: opt(num), end: opt(num), text: opt(str) });

/** Two generations: level with trigger words (until 2.1.2), then a token budget (2.1.15 to 2.1.50). */
const thinkingMetadata = fields({
  level: opt(word('none', 'low', 'medium', 'high')),
  disabled: opt(bool),
  triggers: opt(z.array(z.union([trigger, str]))),
  maxThinkingTokens: opt(num),
});

const marks = {
  ...opts(bool, 'isCompactSummary', 'isVisibleInTranscriptOnly', 'repeatsCompactSummary', 'isVirtual', 'ephemeral'),
  ...opts(bool, 'holdsPersonsWords', 'interruptedByShutdown'),
  summarizedTurnPromptUuids: opt(strs),
  ...opts(str, 'interruptedMessageId', 'refusedMessageId'),
  ...opts(anything, 'modelOnlyText', 'summarizeMetadata', 'replacesSpan', 'usageLimitNote', 'userFeedback'),
};

const permissionDecision = openFields({
  decision: opt(word('accept', 'reject')),
  source: opt(word('config', 'hook', 'user_temporary', 'user_permanent', 'user_reject', 'user_abort')),
  ...opts(str, 'reasonType', 'reasonCode', 'ruleSource', 'grantScope'),
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
  ...opts(bool, 'toolDenialEndsTurn', 'toolDenialMonitorBlocked', 'toolDenialUnanswered', 'toolDenialAfterRun'),
  ...opts(bool, 'toolDenialFromHost', 'toolDenialBeforeRun'),
  permissionDecision: opt(permissionDecision),
  ...opts(bool, 'toolEndsTurn', 'sandboxed', 'classifierBoundary'),
  ...opts(anything, 'toolResultRemedy', 'toolResultTypedCommand', 'sandboxViolations', 'classifierMetaLines'),
  ...opts(anything, 'serverClassifierContext', 'hostClassifierContext'),
};

const promptFields = {
  permissionMode: opt(permissionMode),
  promptId: opt(str),
  promptSource: opt(word('typed', 'sdk', 'system', 'queued', 'suggestion_accepted')),
  turnOrigin: opt(
    word(
      'human',
      'sdk',
      'scheduled',
      'task_notification',
      'auto_continuation',
      'peer',
      'host_synthetic',
      'system',
      'unknown',
    ),
  ),
  origin: opt(promptOrigin),
  turnPosition: opt(fields({ promptIndex: opt(num), turnIndex: opt(num) })),
  ...opts(anything, 'turnCompanion', 'promptShellHandOff', 'mcpSkill', 'invokedSkill', 'turnPromptId', 'answeredPost'),
  ...opts(anything, 'interruptedBySendNow', 'verifiedSlackHumanTurn', 'projectsUserTurn', 'emailSenderTurn'),
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
  ...opts(str, 'sourceToolUseID', 'sourceToolAssistantUUID'),
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
      'overloaded',
      'model_not_found',
      'oauth_org_not_allowed',
      'account_on_hold',
      'verification_required',
      'cloud_credential_error',
    ),
  ),
  apiError: opt(str),
  apiErrorStatus: opt(z.union([num, str])),
  apiErrorType: opt(str),
  errorDetails: opt(anything),
  ...opts(anything, 'apiErrorCode', 'apiErrorParams', 'apiErrorIsTransient', 'quotaLimits', 'refusedToolUseIds'),
  ...opts(bool, 'healsDistinctCarrier', 'truncatedAfterOutput', 'cutInUnfinishedBlock', 'toolCallCutAtOutputLimit'),
  ...opts(bool, 'isVirtual', 'isUnmetered', 'answeredWithoutRequest', 'handedOff'),
  ...opts(bool, 'isAbortedMidStream', 'failedResponseHadNoToolCall'),
};

const originFields = {
  ...opts(str, 'attributionAgent', 'attributionSkill', 'attributionPlugin', 'attributionMcpServer'),
  attributionMcpTool: opt(str),
  madeBy: opt(word('model', 'other', 'input')),
};

/** Auto mode: the request sent to a classifier on the server, and what it changed. */
const classifierFields = {
  serverClassifierRequest: opt(str),
  ...opts(anything, 'serverClassifierResults', 'serverClassifierReviewLeftBehind', 'serverClassifierRewrite'),
  ...opts(bool, 'serverClassifierInputRewritten', 'serverClassifierOwnInputRewritten'),
};

const requestFields = {
  ...opts(str, 'requestId', 'requestRef', 'requestedModel', 'requestSessionId'),
  apiBlockIndex: opt(num),
  effort: opt(word('minimal', 'low', 'medium', 'high', 'xhigh', 'max')),
  ...opts(anything, 'perTurnEffort', 'promptCacheRequested'),
  thinkingDisplay: opt(word('omitted', 'updates')),
  ...opts(num, 'thinkingDurationMs', 'toolInputStreamMs'),
  ...classifierFields,
  /** Dollars, 0.2.x to 1.0.1 only. */
  ...opts(num, 'costUSD', 'durationMs'),
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
