import type { ContextPart } from '../../domain/context-parts.ts';
import type { BlockHead, MessageHead } from '../outline-items.ts';

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
function partOfMessage({ message_type, subtype, origin }: MessageHead): ContextPart | null {
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

/** Typical for English text and code. */
const BYTES_PER_TOKEN = 3.6;
/** An image of ordinary size. */
const IMAGE_TOKENS = 1_500;

/** Estimates the tokens of a message by part. */
export function estimateMessage(
  message: MessageHead & { readonly thinking_tokens: number | null },
  blocks: readonly BlockHead[],
): readonly (readonly [ContextPart, number])[] {
  const whole = partOfMessage(message);
  if (whole === null) return [];
  return blocks.map((block) => {
    const tokens = (block.text_bytes + block.input_bytes) / BYTES_PER_TOKEN;
    if (block.block_type === 'thinking') return ['thinking', message.thinking_tokens ?? tokens] as const;
    if (block.block_type === 'image' || block.block_type === 'document')
      return ['attachments', Math.max(tokens, IMAGE_TOKENS)] as const;
    if (block.block_type === 'injected') return ['attachments', tokens] as const;
    return [whole, tokens] as const;
  });
}
