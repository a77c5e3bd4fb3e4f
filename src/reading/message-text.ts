import type { BlockRow, MessageRow } from '../api/transcript.ts';
import { outputText, taggedText } from '../domain/client-tags.ts';
import type { JsonValue } from '../domain/transcript.ts';
import { formatBytes, formatCompact } from './format.ts';
import type { Compaction } from './parts.ts';

/** The text of a message, block by block, without text injected into a prompt. */
export function textOf(message: MessageRow): string {
  return message.content_blocks
    .filter(({ block_type }) => block_type !== 'injected')
    .map((block) => block.content_text ?? block.result_text ?? '')
    .filter((text) => text !== '')
    .join('\n\n');
}

/** Whether the message reports an API error. */
export function isFailure(message: MessageRow): boolean {
  return (
    message.subtype === 'api_error' ||
    message.metadata['error'] !== undefined ||
    message.metadata['apiErrorStatus'] !== undefined
  );
}

/** Text that the client writes in place of the model. */
export function noticeText(message: MessageRow): string {
  const text = textOf(message);
  if (text !== '') return text.replace(/^\[(.*)\]$/s, '$1');
  const { retryAttempt, maxRetries } = message.metadata;
  if (typeof retryAttempt !== 'number') return 'The API returned an error.';
  const most = typeof maxRetries === 'number' ? maxRetries : '?';
  return `The API answered with an error; attempt ${retryAttempt} of ${most} followed.`;
}

export function compactionText(message: MessageRow, known: Compaction | undefined): string {
  const { kind, trigger, before, after } = known === undefined ? readCompaction(message) : factsOf(known);
  const name = kind === 'micro' ? 'Context shortened' : 'Conversation compacted';
  const how = trigger === null ? '' : trigger === 'manual' ? ' by /compact' : ' automatically';
  const tokens = before === null ? '' : ` · ${formatCompact(before)} tokens`;
  return `${name}${how}${tokens}${after === null ? '' : ` → ${formatCompact(after)}`}`;
}

interface CompactionText {
  readonly kind: string;
  readonly trigger: string | null;
  readonly before: number | null;
  readonly after: number | null;
}

function factsOf({ kind, trigger_name, pre_tokens, post_tokens }: Compaction): CompactionText {
  return { kind, trigger: trigger_name, before: pre_tokens, after: post_tokens };
}

function readCompaction({ subtype, metadata }: MessageRow): CompactionText {
  const facts = metadata['compactMetadata'] ?? metadata['microcompactMetadata'];
  const number = (name: string) => {
    const value = field(facts, name);
    return typeof value === 'number' ? value : null;
  };
  const kind = subtype === 'microcompact_boundary' ? 'micro' : 'full';
  const trigger = field(facts, 'trigger') === 'manual' ? 'manual' : 'auto';
  return { kind, trigger, before: number('preTokens'), after: number('postTokens') };
}

function field(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
  return (value as { readonly [key: string]: JsonValue })[name];
}

/** Names of messages that were not typed by a person, by their subtype or their origin. */
const LABELS: ReadonlyMap<string, string> = new Map([
  ['agent_listing_delta', 'available agents'],
  ['async_hook_response', 'hook output'],
  ['auto_mode', 'auto mode'],
  ['away_summary', 'while you were away'],
  ['bash_output', 'shell output'],
  ['bridge_status', 'remote connection'],
  ['command_output', 'command output'],
  ['command_permissions', 'tools allowed for the command'],
  ['compact_file_reference', 'file kept after compaction'],
  ['critical_system_reminder', 'reminder'],
  ['date', 'date'],
  ['date_change', 'new day'],
  ['deferred_tools_delta', 'deferred tools'],
  ['deferred_tools_record', 'deferred tools'],
  ['edited_text_file', 'file changed elsewhere'],
  ['file', 'mentioned file'],
  ['goal_status', 'progress towards the goal'],
  ['hook_additional_context', 'hook context'],
  ['hook_cancelled', 'cancelled hook'],
  ['hook_non_blocking_error', 'failed hook'],
  ['hook_success', 'hook output'],
  ['hook_system_message', 'hook message'],
  ['ide_diagnostics', 'problems in the editor'],
  ['ide_opened_file', 'file open in the editor'],
  ['ide_selection', 'selection in the editor'],
  ['instructions', 'instructions'],
  ['local_command', 'command'],
  ['mcp_instructions_delta', 'MCP server instructions'],
  ['meta', 'note to the model'],
  ['nested_memory', 'folder instructions'],
  ['plan_mode', 'plan mode on'],
  ['plan_mode_exit', 'plan mode off'],
  ['prompt_snapshot', 'system prompt'],
  ['queued_command', 'queued prompt'],
  ['remote_session_change', 'remote session'],
  ['scheduled_task_fire', 'scheduled task'],
  ['session_context', 'session context'],
  ['silent_turn_reminder', 'reminder'],
  ['skill_listing', 'available skills'],
  ['stop_hook_summary', 'end-of-turn hooks'],
  ['structured_output', 'structured output'],
  ['system', 'note from the client'],
  ['task_notification', 'background task finished'],
  ['task_reminder', 'task list reminder'],
  ['teammate', 'message from a teammate'],
  ['todo_reminder', 'to-do list reminder'],
  ['total_tokens_reminder', 'tokens left'],
  ['turn_duration', 'turn duration'],
  ['workflow_keyword_request', 'workflow request'],
]);

/** The name of a message that was not typed by a person. New subtypes of the client read as the words they consist of. */
export function labelOf({ message_type, subtype, origin }: MessageRow): string {
  if (message_type === 'summary') return 'title saved by the client';
  return LABELS.get(subtype ?? '') ?? LABELS.get(origin) ?? (subtype ?? origin).replaceAll(/[_-]/g, ' ');
}

/** The text of a message that was not typed by a person, without the client's tags. */
export function contextText(message: MessageRow): string {
  return outputText(textOf(message));
}

/** Empty tags are shorter than this. */
const MAX_TAGS_CHARS = 4_096;

/** Whether nothing is left of such a text: records of the client without any, and commands without output. */
export function isBlankContext(text: string): boolean {
  return text.trim() === '' || (text.length <= MAX_TAGS_CHARS && outputText(text).trim() === '');
}

/** The same, but only the summary of a notification. */
export function briefOf(message: MessageRow): string {
  const summary = message.origin === 'task_notification' ? taggedText(textOf(message), 'summary') : null;
  return summary ?? contextText(message);
}

/** The name of a block injected into a prompt: `system reminder`, `file open in the editor`. */
export function injectedLabel({ metadata }: BlockRow): string {
  const { tag, origin } = metadata;
  const name = typeof tag === 'string' ? tag : origin;
  return typeof name === 'string' ? (LABELS.get(name) ?? name.replaceAll(/[_-]/g, ' ')) : 'injected text';
}

/** The text between the tags of such a block. */
export function injectedText({ content_text, metadata }: BlockRow): string {
  const text = content_text ?? '';
  return typeof metadata['tag'] === 'string' ? (taggedText(text, metadata['tag']) ?? text) : text;
}

/** Whether a message consists of attachments: instructions, listings, files for the model. */
export function isAttachment({ content_blocks }: MessageRow): boolean {
  return content_blocks.length > 0 && content_blocks.every(({ block_type }) => block_type === 'attachment');
}

/** Size of an attachment: ` · 14 kB`; empty for other messages. */
export function attachmentSize({ content_blocks }: MessageRow): string {
  const bytes = content_blocks.find(({ block_type }) => block_type === 'attachment')?.metadata['bytes'];
  return typeof bytes === 'number' ? ` · ${formatBytes(bytes)}` : '';
}
