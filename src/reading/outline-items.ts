import type { MessageRow } from '../api/transcript.ts';
import { ITEM_FLAGS } from '../domain/outline.ts';
import { type MessageKind, messageKind, toolKind } from './kinds.ts';
import { isBlankContext } from './message-text.ts';
import type { OutlineItem } from './outline.ts';

/** The columns of a message that an outline needs. */
export interface MessageHead
  extends Pick<
    MessageRow,
    | 'id'
    | 'ordinal'
    | 'agent_id'
    | 'message_type'
    | 'subtype'
    | 'origin'
    | 'timestamp'
    | 'model'
    | 'tokens_in'
    | 'cache_read'
    | 'cache_write'
  > {
  readonly turn_id: string | null;
  readonly is_meta: boolean | number;
  readonly is_inherited: boolean | number;
  readonly cost_nanos: number | null;
  /** JSON; only of texts that the client wrote in place of the model. */
  readonly metadata: string | null;
}

/** The columns of a block that an outline needs. */
export interface BlockHead {
  readonly ordinal: number;
  readonly block_order: number;
  readonly block_type: string;
  readonly tool_name: string | null;
  readonly tool_use_id: string | null;
  readonly tool_result_id: string | null;
  readonly is_error: boolean | number | null;
  readonly text_bytes: number;
  readonly input_bytes: number;
  /** The beginning of its text, not blank unless all of the text is. Longer if it begins with a tag, and all of it in messages of teammates. */
  readonly head: string | null;
  /** JSON; only of results. */
  readonly metadata: string | null;
}

/** Adds the items of a message; results are included, because their calls may still come. */
export function addItems(items: OutlineItem[], message: MessageHead, blocks: readonly BlockHead[]): void {
  const kind = messageKind(message, () => textOf(blocks));
  if (kind === 'context' && isBlankContext(textOf(blocks))) return;
  if (kind !== 'blocks') {
    items.push(wholeMessage(message, kind, blocks));
    return;
  }
  let isFirst = true;
  for (const block of blocks) {
    const item = readBlock(message, block, isFirst);
    if (item === null) continue;
    items.push(item);
    isFirst = false;
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
  return itemOf({ message, block: -1, kind: isError ? 'error' : kind, size, flags, isFirst: true });
}

function isFailure({ subtype, metadata }: MessageHead): boolean {
  return subtype === 'api_error' || /"(?:error|apiErrorStatus)":/.test(metadata ?? '');
}

type ItemPart = Omit<OutlineItem, 'callId' | 'resultOf'> & Partial<Pick<OutlineItem, 'callId' | 'resultOf'>>;

/** All items have the same properties in the same order, which makes them small and fast to read. */
function itemOf({ message, block, kind, size, flags, isFirst, callId, resultOf }: ItemPart): OutlineItem {
  return {
    message,
    block,
    kind,
    size,
    flags: message.is_inherited ? flags | ITEM_FLAGS.inherited : flags,
    callId: callId ?? null,
    resultOf: resultOf ?? null,
    isFirst,
  };
}

function readBlock(message: MessageHead, block: BlockHead, isFirst: boolean): OutlineItem | null {
  const { block_order, block_type, head, text_bytes: size } = block;
  const item = { message, block: block_order, size, flags: 0, isFirst };
  switch (block_type) {
    case 'text':
      return isBlank(head) ? null : itemOf({ ...item, kind: 'answer' });
    case 'thinking':
    case 'redacted_thinking':
      return isBlank(head) ? null : itemOf({ ...item, kind: 'thinking' });
    case 'tool_use':
    case 'server_tool_use': {
      const callId = block.tool_use_id ?? '';
      return itemOf({ ...item, kind: toolKind(block.tool_name), size: block.input_bytes, callId });
    }
    case 'tool_result':
    case 'server_tool_result': {
      const flags = block.is_error ? ITEM_FLAGS.error : 0;
      return itemOf({ ...item, kind: 'result', flags, resultOf: block.tool_result_id ?? '' });
    }
    default:
      return itemOf({ ...item, kind: 'media', flags: block_type === 'image' ? ITEM_FLAGS.hasImage : 0 });
  }
}

function isBlank(head: string | null): boolean {
  return head === null || head.trim() === '';
}
