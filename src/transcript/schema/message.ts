import { z } from 'zod';
import { BlockSchema, contentSchema } from './block.ts';
import { anything, bool, fields, num, openFields, opt, str, word } from './kit.ts';
import { UsageSchema } from './usage.ts';

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
  input_transformations: opt(anything),
};

/** `message` of an assistant line: one answer of the Messages API, cut to one block per line. */
export const assistantMessage = fields({ ...answerFields, content: z.array(BlockSchema) });

/** A line inside another one: agent_progress, and the results of the old Batch tool. No chain fields. */
export const nestedLine = fields({
  type: opt(str),
  uuid: opt(str),
  timestamp: opt(str),
  requestId: opt(str),
  message: opt(fields({ ...answerFields, role: opt(word('user', 'assistant')), content: opt(contentSchema) })),
  toolUseResult: opt(anything),
  isMeta: opt(bool),
  isApiErrorMessage: opt(bool),
  costUSD: opt(num),
  durationMs: opt(num),
  imagePasteIds: opt(z.array(num)),
  permissionMode: opt(str),
  sourceToolAssistantUUID: opt(str),
});
