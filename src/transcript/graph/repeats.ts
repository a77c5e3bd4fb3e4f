import type { JsonValue } from '../../domain/transcript.ts';
import { promptKeyOf } from '../assemble/spoken-text.ts';
import type { LineContext } from '../line/context.ts';
import { asList, asObject, asText } from '../read/json.ts';
import { findRow, NODE_KINDS } from './uuid-table.ts';

/**
 * Some clients wrote a whole conversation into the same file again, under new uuids and sometimes with one line per
 * block. Such a line is recognised by its time and its blocks; it is placed in the graph and otherwise ignored.
 */
export interface LineKeys {
  /** One number per block; a repeat of the block has the same number. */
  readonly blocks: readonly number[];
  /** True if all blocks have API ids. Text without an id may occur twice, so its position must be a repeat as well. */
  readonly areUnique: boolean;
}

/** Clients write one line per block, or a few blocks per line. */
const MAX_KEYS = 100;
export const NO_KEYS: LineKeys = { blocks: [], areUnique: false };

/** Keys of a line with message content. `messageId` is the API's id, if there is one. */
export function keysOfContent(
  context: LineContext,
  content: JsonValue | undefined,
  messageId: string | null = null,
): LineKeys {
  const { thread, timestamp, record } = context;
  if (timestamp === null) return NO_KEYS;
  const head = `${thread} ${timestamp} ${asText(record['type']) ?? ''} ${messageId ?? ''} `;
  if (typeof content === 'string') return { blocks: [hashOf(`${head}text${promptKeyOf(content)}`)], areUnique: false };
  const blocks: number[] = [];
  const values = asList(content) ?? [];
  if (values.length > MAX_KEYS) return NO_KEYS;
  let areUnique = true;
  for (const value of values) {
    const block = asObject(value);
    const name = nameOf(block);
    if (name === null) return NO_KEYS;
    areUnique &&= messageId !== null || block?.['type'] === 'tool_result';
    blocks.push(hashOf(head + name));
  }
  return { blocks, areUnique };
}

/** Null for a block that is indistinguishable from others of its type. */
function nameOf(block: ReturnType<typeof asObject>): string | null {
  const type = asText(block?.['type']);
  switch (type) {
    case 'text':
      return `text${promptKeyOf(asText(block?.['text']) ?? '')}`;
    case 'thinking':
      return `thinking${promptKeyOf(asText(block?.['thinking']) ?? '')}${promptKeyOf(asText(block?.['signature']) ?? '')}`;
    case 'tool_use':
      return `use${asText(block?.['id']) ?? ''}`;
    case 'tool_result':
      return `result${asText(block?.['tool_use_id']) ?? ''}${promptKeyOf(asText(block?.['content']) ?? '')}`;
    case 'image':
    case 'document':
      return `${type}${promptKeyOf(asText(asObject(block?.['source'])?.['data']) ?? '')}`;
    default:
      return null;
  }
}

/** Row of the line that this one repeats, or -1. */
export function repeatedRow({ state, uuid, parentUuid }: LineContext, { blocks, areUnique }: LineKeys): number {
  let original = -1;
  for (const key of blocks) {
    original = state.blockRows.get(key) ?? -1;
    if (original < 0) return -1;
  }
  if (original < 0 || areUnique) return original;
  const { uuids } = state;
  if (uuid !== null && findRow(uuids, uuid) === original) return original;
  if (parentUuid === null || parentUuid === '') return (uuids.parent[original] as number) < 0 ? original : -1;
  const parent = findRow(uuids, parentUuid);
  return parent >= 0 && uuids.kind[parent] === NODE_KINDS.repeat ? original : -1;
}

/** 53 bits, so that collisions within a session are negligible. */
function hashOf(text: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 0x9e3779b1);
    low = Math.imul(low ^ code, 0x5f356495);
  }
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  return (low >>> 0) * 0x200000 + ((high >>> 0) & 0x1fffff);
}
