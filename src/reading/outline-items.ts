import { type BlockHead, ITEM_FLAGS, ITEM_KINDS, type ItemKind, type MessageHead } from '../domain/outline.ts';
import { type MessageKind, messageKind, toolKind } from './kinds.ts';
import { isBlankContext } from './message-text.ts';

/** One item that can become a row. */
export interface OutlineItem {
  readonly block: number;
  readonly kind: number;
  readonly size: number;
  readonly flags: number;
  /** Null if it is not a call; empty for a call without an id. */
  readonly callId: string | null;
  /** The call of a result; a result is shown with its call if that is part of the session. */
  readonly resultOf: string | null;
}

export const KIND_NUMBERS = new Map<ItemKind, number>(ITEM_KINDS.map((kind, at) => [kind, at]));
const numberOf = (kind: ItemKind) => KIND_NUMBERS.get(kind) as number;

/** Calls `add` for each item of a message; results are included, because their calls may still come. */
export function readItems(message: MessageHead, blocks: readonly BlockHead[], add: (item: OutlineItem) => void): void {
  const kind = messageKind(message, () => textOf(blocks));
  if (kind === 'context' && isBlankContext(textOf(blocks))) return;
  if (kind !== 'blocks') return add(wholeMessage(message, kind, blocks));
  for (const block of blocks) {
    const item = readBlock(block);
    if (item !== null) add(item);
  }
}

function textOf(blocks: readonly BlockHead[]): string {
  return blocks
    .filter(({ block_type, head }) => block_type !== 'injected' && head !== null && head !== '')
    .map(({ head }) => head)
    .join('\n\n');
}

function wholeMessage(
  message: MessageHead,
  kind: Exclude<MessageKind, 'blocks'>,
  blocks: readonly BlockHead[],
): OutlineItem {
  const isError = kind === 'notice' && isFailure(message);
  const isInterruption = kind === 'notice' && message.origin === 'interruption';
  const flags =
    (isError ? ITEM_FLAGS.error : 0) |
    (isInterruption ? ITEM_FLAGS.unfinished : 0) |
    (blocks.some(({ block_type }) => block_type === 'image') ? ITEM_FLAGS.hasImage : 0);
  const size = blocks.reduce((sum, { text_bytes }) => sum + text_bytes, 0);
  return itemOf(-1, isError ? 'error' : kind, size, flags);
}

function isFailure({ subtype, metadata }: MessageHead): boolean {
  return subtype === 'api_error' || /"(?:error|apiErrorStatus)":/.test(metadata ?? '');
}

/** All items have the same properties in the same order, which makes them fast to read. */
function itemOf(
  block: number,
  kind: ItemKind,
  size: number,
  flags: number,
  tool: { readonly callId?: string; readonly resultOf?: string } = {},
): OutlineItem {
  return { block, kind: numberOf(kind), size, flags, callId: tool.callId ?? null, resultOf: tool.resultOf ?? null };
}

function readBlock(block: BlockHead): OutlineItem | null {
  const { block_order, block_type, head, text_bytes } = block;
  switch (block_type) {
    case 'text':
      return isBlank(head) ? null : itemOf(block_order, 'answer', text_bytes, 0);
    case 'thinking':
    case 'redacted_thinking':
      return isBlank(head) ? null : itemOf(block_order, 'thinking', text_bytes, 0);
    case 'tool_use':
    case 'server_tool_use':
      return itemOf(block_order, toolKind(block.tool_name), block.input_bytes, 0, { callId: block.tool_use_id ?? '' });
    case 'tool_result':
    case 'server_tool_result': {
      const flags = block.is_error ? ITEM_FLAGS.error : 0;
      return itemOf(block_order, 'result', text_bytes, flags, { resultOf: block.tool_result_id ?? '' });
    }
    default:
      return itemOf(block_order, 'media', text_bytes, block_type === 'image' ? ITEM_FLAGS.hasImage : 0);
  }
}

function isBlank(head: string | null): boolean {
  return head === null || head.trim() === '';
}
