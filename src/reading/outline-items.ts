import type { MessageRow } from '../api/transcript.ts';
import { ITEM_FLAGS, type ItemKind } from '../domain/outline.ts';
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
    | 'role'
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

/** The items of a message; results are included, because their calls may still come. */
export function readItems(message: MessageHead, blocks: readonly BlockHead[]): readonly OutlineItem[] {
  const kind = messageKind({ ...message, is_meta: Boolean(message.is_meta) }, () => textOf(blocks));
  if (kind === 'context' && isBlankContext(textOf(blocks))) return [];
  const items =
    kind === 'blocks' ? blocks.flatMap((block) => readBlock(message, block)) : [whole(message, kind, blocks)];
  return items.map((item, at) => (at === 0 ? { ...item, isFirst: true } : item));
}

function textOf(blocks: readonly BlockHead[]): string {
  return blocks
    .filter(({ block_type, head }) => block_type !== 'injected' && head !== null && head !== '')
    .map(({ head }) => head)
    .join('\n\n');
}

function whole(message: MessageHead, kind: Exclude<MessageKind, 'blocks'>, blocks: readonly BlockHead[]): OutlineItem {
  const isError = kind === 'notice' && isFailure(message);
  const isInterruption = kind === 'notice' && message.origin === 'interruption';
  return {
    ...itemOf(message, -1, isError ? 'error' : kind),
    size: blocks.reduce((sum, { text_bytes }) => sum + text_bytes, 0),
    flags:
      flagsOf(message) |
      (isError ? ITEM_FLAGS.error : 0) |
      (isInterruption ? ITEM_FLAGS.unfinished : 0) |
      (blocks.some(({ block_type }) => block_type === 'image') ? ITEM_FLAGS.hasImage : 0),
  };
}

function isFailure({ subtype, metadata }: MessageHead): boolean {
  return subtype === 'api_error' || /"(?:error|apiErrorStatus)":/.test(metadata ?? '');
}

function itemOf(message: MessageHead, block: number, kind: ItemKind): OutlineItem {
  const nothing = { size: 0, callId: null, resultOf: null, isFirst: false };
  return { message, block, kind, flags: flagsOf(message), ...nothing };
}

function flagsOf({ is_inherited }: MessageHead): number {
  return is_inherited ? ITEM_FLAGS.inherited : 0;
}

function readBlock(message: MessageHead, block: BlockHead): readonly OutlineItem[] {
  const { block_order, block_type, head, text_bytes: size } = block;
  switch (block_type) {
    case 'text':
      return (head ?? '').trim() === '' ? [] : [{ ...itemOf(message, block_order, 'answer'), size }];
    case 'thinking':
    case 'redacted_thinking':
      return (head ?? '').trim() === '' ? [] : [{ ...itemOf(message, block_order, 'thinking'), size }];
    case 'tool_use':
    case 'server_tool_use': {
      const item = itemOf(message, block_order, toolKind(block.tool_name));
      return [{ ...item, size: block.input_bytes, callId: block.tool_use_id ?? '' }];
    }
    case 'tool_result':
    case 'server_tool_result': {
      const item = itemOf(message, block_order, 'result');
      const flags = item.flags | (block.is_error ? ITEM_FLAGS.error : 0);
      return [{ ...item, size, flags, resultOf: block.tool_result_id ?? '' }];
    }
    default: {
      const item = itemOf(message, block_order, 'media');
      return [{ ...item, flags: item.flags | (block_type === 'image' ? ITEM_FLAGS.hasImage : 0) }];
    }
  }
}
