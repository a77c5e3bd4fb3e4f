import { z } from 'zod';
import { chainFields, permissionMode, promptOrigin } from '../envelope.ts';
import { anything, bool, fields, named, num, openFields, opt, str, strs, word } from '../kit.ts';
import { userMessage } from '../message.ts';
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
  'Prompt of a person, result of a tool, or text the client put in a person’s mouth.',
  fields({ type: z.literal('user'), ...userFields, message: userMessage }),
);

export type UserVariant = 'prompt' | 'tool_result' | 'rich';

/** Form of a user line: plain text, tool results, or text with images and documents. */
export function userVariant(line: z.infer<typeof UserLineSchema>): UserVariant {
  const { content } = line.message;
  if (typeof content === 'string') return 'prompt';
  return content.some((block) => block.type === 'tool_result') ? 'tool_result' : 'rich';
}
