import { type ContextPart, TYPICAL_BYTES_PER_TOKEN } from '../../domain/context-parts.ts';
import type { ContextBlock, ContextMessage } from '../../domain/outline.ts';

const MEMORY = new Set(['nested_memory', 'instructions']);
const SYSTEM = new Set([
  'agent_listing_delta',
  'deferred_tools_delta',
  'deferred_tools_record',
  'mcp_instructions_delta',
  'prompt_snapshot',
  'skill_listing',
]);
/** Records of the client that the model does not see. */
const UNSEEN = new Set(['hook_cancelled', 'hook_non_blocking_error', 'hook_success', 'structured_output']);
const PROMPTS = new Set(['human', 'queued', 'command', 'bash_input', 'agent_prompt', 'teammate', 'task_notification']);

/** Where a message belongs unless its blocks say otherwise; null if the model does not see it. */
function partOfMessage({ message_type, subtype, origin }: ContextMessage): ContextPart | null {
  if (message_type === 'system' || message_type === 'summary' || origin === 'synthetic') return null;
  if (message_type === 'assistant') return 'answers';
  if (origin === 'compact_summary') return 'summary';
  if (origin === 'tool_result') return 'tool_output';
  const name = subtype ?? '';
  if (UNSEEN.has(name) || origin === 'command_output') return null;
  if (MEMORY.has(name)) return 'memory';
  if (SYSTEM.has(name)) return 'system';
  return PROMPTS.has(origin) ? 'prompts' : 'attachments';
}

/** An image of ordinary size. */
const IMAGE_TOKENS = 1_500;

type Amounts = readonly (readonly [ContextPart, number])[];

/** Estimates the tokens of a message by part; those of a message by a person or a tool block by block. */
export function estimateMessage(message: ContextMessage, blocks: readonly ContextBlock[]): Amounts {
  const whole = partOfMessage(message);
  if (whole === null) return [];
  if (whole === 'answers') return estimateAnswer(message, blocks);
  return blocks.map(({ block_type, text_bytes }) => {
    const tokens = text_bytes / TYPICAL_BYTES_PER_TOKEN;
    if (block_type === 'image' || block_type === 'document') return ['attachments', Math.max(tokens, IMAGE_TOKENS)];
    return [block_type === 'injected' ? 'attachments' : whole, tokens];
  });
}

/** The model's text is counted by its usage; some clients report too little of it, but never less than its text. */
function estimateAnswer({ tokens_out, thinking_tokens }: ContextMessage, blocks: readonly ContextBlock[]): Amounts {
  const sum = (isThinking: boolean) =>
    blocks
      .filter(({ block_type }) => (block_type === 'thinking') === isThinking)
      .reduce((bytes, { text_bytes }) => bytes + text_bytes, 0) / TYPICAL_BYTES_PER_TOKEN;
  const thinking = thinking_tokens ?? sum(true);
  return [
    ['thinking', thinking],
    ['answers', Math.max((tokens_out ?? 0) - thinking, sum(false))],
  ];
}
