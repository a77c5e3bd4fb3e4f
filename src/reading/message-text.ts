import type { BlockRow, MessageRow } from '../api/answers/transcript.ts';
import type { JsonValue } from '../domain/transcript.ts';
import { outputText, taggedText } from '../domain/client-tags.ts';
import { firstLine, formatBytes, formatCompact } from './format.ts';

/** The words of a message, its text blocks one below the other; of a prompt only what was said. */
export function textOf(message: MessageRow): string {
  return message.content_blocks
    .filter(({ block_type }) => block_type !== 'injected')
    .map((block) => block.content_text ?? block.result_text ?? '')
    .filter((text) => text !== '')
    .join('\n\n');
}

/** Whether it tells of an error of the API. */
export function isFailure(message: MessageRow): boolean {
  return (
    message.subtype === 'api_error' ||
    message.metadata['error'] !== undefined ||
    message.metadata['apiErrorStatus'] !== undefined
  );
}

/** What the client says in the model's place. */
export function noticeText(message: MessageRow): string {
  const text = textOf(message);
  if (text !== '') return text.replace(/^\[(.*)\]$/s, '$1');
  const { retryAttempt, maxRetries } = message.metadata;
  if (typeof retryAttempt !== 'number') return 'The API answered with an error.';
  return `The API answered with an error; attempt ${retryAttempt} of ${typeof maxRetries === 'number' ? maxRetries : '?'} followed.`;
}

export function compactionText(message: MessageRow): string {
  const metadata = message.metadata['compactMetadata'];
  const before = field(metadata, 'preTokens');
  const after = field(metadata, 'postTokens');
  const tokens = typeof before === 'number' ? ` · ${formatCompact(before)} tokens` : '';
  const left = typeof after === 'number' ? ` → ${formatCompact(after)}` : '';
  const trigger = field(metadata, 'trigger') === 'manual' ? 'by /compact' : 'automatically';
  return `Conversation compacted ${trigger}${tokens}${left}`;
}

function field(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
  return (value as { readonly [key: string]: JsonValue })[name];
}

const ORIGIN_LABELS: ReadonlyMap<string, string> = new Map([
  ['meta', 'note to the model'],
  ['command_output', 'command output'],
  ['bash_output', 'shell output'],
  ['task_notification', 'background task finished'],
  ['teammate', 'message of a teammate'],
  ['context', 'context'],
  ['system', 'system'],
]);

/** The name of a message that nobody typed. */
export function labelOf(message: MessageRow): string {
  return (
    message.subtype?.replaceAll('_', ' ') ?? ORIGIN_LABELS.get(message.origin) ?? message.origin.replaceAll('_', ' ')
  );
}

const MAX_TEASER_CHARS = 120;

/** A line of what stands in a message that nobody typed; of a notification, what it comes to. */
export function teaserOf(message: MessageRow): string {
  const text = textOf(message);
  const summary = message.origin === 'task_notification' ? taggedText(text, 'summary') : null;
  return firstLine(summary ?? outputText(text), MAX_TEASER_CHARS);
}

/** What the client, an editor or a hook put into a prompt. */
export function injectedBlocks({ content_blocks }: MessageRow): readonly BlockRow[] {
  return content_blocks.filter(({ block_type }) => block_type === 'injected');
}

/** The name of such a block: `system reminder`, `ide opened file`. */
export function injectedLabel({ metadata }: BlockRow): string {
  const { tag, origin } = metadata;
  const name = typeof tag === 'string' ? tag : origin;
  return typeof name === 'string' ? name.replaceAll(/[_-]/g, ' ') : 'injected text';
}

/** The text between the tags of such a block. */
export function injectedText({ content_text, metadata }: BlockRow): string {
  const text = content_text ?? '';
  return typeof metadata['tag'] === 'string' ? (taggedText(text, metadata['tag']) ?? text) : text;
}

/** Whether all that a message holds is the text of an attachment: instructions, listings, files for the model. */
export function isAttachment({ content_blocks }: MessageRow): boolean {
  return content_blocks.length > 0 && content_blocks.every(({ block_type }) => block_type === 'attachment');
}

/** How much an attachment says: ` · 14 KB`; nothing for other messages. */
export function attachmentSize({ content_blocks }: MessageRow): string {
  const bytes = content_blocks.find(({ block_type }) => block_type === 'attachment')?.metadata['bytes'];
  return typeof bytes === 'number' ? ` · ${formatBytes(bytes)}` : '';
}

const PROMPT_LABELS: ReadonlyMap<string, string> = new Map([
  ['queued', 'You, while it worked'],
  ['agent_prompt', 'Task'],
]);

/** Who typed a prompt. */
export function speakerOf({ origin }: MessageRow): string {
  return PROMPT_LABELS.get(origin) ?? 'You';
}

/** Images and documents are named, not loaded. */
export function mediaText(block: BlockRow): string {
  const { mediaType, bytes } = block.metadata;
  const type = typeof mediaType === 'string' ? mediaType : block.block_type.replaceAll('_', ' ');
  const size = typeof bytes === 'number' && bytes > 0 ? ` · ${formatBytes(bytes)}` : '';
  return `[${type}${size}]`;
}
