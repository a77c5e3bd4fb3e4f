import type { MessageRow } from '../api/answers/transcript.ts';

/** How a message is shown. */
export type MessageKind = 'prompt' | 'command' | 'notice' | 'compaction' | 'summary' | 'context' | 'blocks';

const KIND_OF_ORIGIN: ReadonlyMap<string, MessageKind> = new Map<string, MessageKind>([
  ['human', 'prompt'],
  ['queued', 'prompt'],
  ['agent_prompt', 'prompt'],
  ['model', 'blocks'],
  ['tool_result', 'blocks'],
  ['synthetic', 'notice'],
  ['interruption', 'notice'],
  ['command', 'command'],
  ['bash_input', 'command'],
  ['compact_summary', 'summary'],
]);

export function kindOf(message: MessageRow): MessageKind {
  if (message.subtype === 'compact_boundary') return 'compaction';
  if (message.subtype === 'api_error') return 'notice';
  if (message.message_type === 'summary') return 'summary';
  const kind = KIND_OF_ORIGIN.get(message.origin) ?? 'context';
  return kind === 'prompt' && message.is_meta ? 'context' : kind;
}
