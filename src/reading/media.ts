import type { BlockRow, MessageRow } from '../api/transcript.ts';
import { formatBytes } from './format.ts';

/** An image or document of a message. Only its description is in the transcript; the archive has its bytes. */
export interface Media {
  readonly messageId: string;
  readonly block: number;
  /** Position among the images and documents of a tool result; 0 for a block of its own. */
  readonly part: number;
  readonly kind: 'image' | 'document' | 'other';
  /** `[image/png · 12 kB]`. */
  readonly text: string;
}

type Owner = Pick<MessageRow, 'id'>;

export function mediaOf({ id }: Owner, block: BlockRow): Media {
  return { messageId: id, block: block.block_order, part: 0, kind: kindOf(block.block_type), text: mediaText(block) };
}

/** Images and documents in the result of a tool. */
export function resultMedia({ id }: Owner, block: BlockRow): readonly Media[] {
  const { parts } = block.metadata;
  const kinds = Array.isArray(parts) ? parts.map(kindOf).filter((kind) => kind !== 'other') : [];
  return kinds.map((kind, part) => ({ messageId: id, block: block.block_order, part, kind, text: `[${kind}]` }));
}

function kindOf(type: unknown): Media['kind'] {
  return type === 'image' || type === 'document' ? type : 'other';
}

function mediaText({ metadata: { mediaType, bytes }, block_type }: BlockRow): string {
  const type = typeof mediaType === 'string' ? mediaType : block_type.replaceAll('_', ' ');
  const size = typeof bytes === 'number' && bytes > 0 ? ` · ${formatBytes(bytesOfBase64(bytes))}` : '';
  return `[${type}${size}]`;
}

/** The transcript has the bytes as Base64, four characters for three bytes. */
function bytesOfBase64(chars: number): number {
  return Math.floor((chars * 3) / 4);
}
