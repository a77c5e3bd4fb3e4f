import { z } from 'zod';
import { chainFields } from '../envelope.ts';
import { anything, bool, fields, named, num, openFields, opt, str, strs, word } from '../kit.ts';
import { userMessage } from '../message.ts';
import { ToolUseResultSchema } from '../tool-result/table.ts';
import { todoItem } from '../tool-result/task.ts';

const trigger = fields({ start: opt(num), end: opt(num), text: opt(str) });

/** Two generations: level with trigger words (until 2.1.2), then a token budget (2.1.15 to 2.1.50). */
const thinkingMetadata = fields({
  level: opt(word('none', 'high')),
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
  toolDenialKind: opt(
    word('user-rejected', 'permission-rule', 'interrupted', 'automode-unavailable', 'automode-blocked'),
  ),
  permissionDecision: opt(openFields({ decision: opt(str), source: opt(str), reasonType: opt(str) })),
  toolEndsTurn: opt(bool),
  sandboxed: opt(bool),
  classifierMetaLines: opt(anything),
};

const promptFields = {
  permissionMode: opt(word('default', 'acceptEdits', 'bypassPermissions', 'plan', 'auto', 'dontAsk')),
  promptId: opt(str),
  promptSource: opt(word('typed', 'sdk', 'system', 'queued')),
  turnOrigin: opt(word('human', 'sdk', 'task_notification')),
  origin: opt(openFields({ kind: opt(word('human', 'task-notification', 'coordinator', 'peer')) })),
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
  mcpCallNotReadOnly: opt(bool),
};

const userFields = { ...chainFields, ...marks, ...promptFields, ...toolFields };

export const UserLineSchema = named(
  'user',
  'Prompt of a person, result of a tool, or text the client put in a person’s mouth.',
  fields({ type: z.literal('user'), ...userFields, message: userMessage }),
);

export type UserVariant = 'prompt' | 'tool_result' | 'rich';

/** Which of the three forms a user line has: a plain text, tool results, or text with images and documents. */
export function userVariant(line: z.infer<typeof UserLineSchema>): UserVariant {
  const { content } = line.message;
  if (typeof content === 'string') return 'prompt';
  return content.some((block) => block.type === 'tool_result') ? 'tool_result' : 'rich';
}
