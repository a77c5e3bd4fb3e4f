import { readRange } from '../archive/archive-bytes.ts';
import { currentSessionFiles } from '../archive/moved-files.ts';
import { FuelError } from '../domain/errors.ts';
import type { BlobStore } from '../domain/ports.ts';
import { type MaskingDeps, maskOf } from '../pipeline/masking.ts';
import { findSession } from '../store/queries/sessions/session-rows.ts';
import { type BlockPlace, findBlock, readMessageLines } from '../store/queries/transcript/message-lines.ts';
import { maskLine } from './masked-bytes.ts';

/** Reads single messages from the archived bytes: their exact lines, and images and documents in them. */

interface Deps extends MaskingDeps {
  readonly blobs: BlobStore;
}

export interface BlockAddress {
  readonly messageId: string;
  readonly blockOrder: number;
  /** The index of an image in a tool result, from 0. */
  readonly part: number;
}

/** The most that is read into memory for one message. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/** The lines of a message exactly as they were written, unless its secrets are masked. Errors: not_found, ambiguous, too_large. */
export async function readRawMessage(
  deps: Deps,
  idOrPrefix: string,
  messageId: string,
): Promise<readonly Uint8Array[]> {
  const { id } = await findSession(deps.engine.kysely, idOrPrefix);
  const lines = await readMessageLines(deps.engine.kysely, id, messageId);
  if (lines.reduce((sum, { from, to }) => sum + to - from, 0) > MAX_MESSAGE_BYTES) {
    throw new FuelError('too_large', 'The message is too large to be sent on its own.', {
      hint: 'Download the whole file from /transcript/raw.',
    });
  }
  const files = new Map((await currentSessionFiles(deps, id)).map((file) => [file.id, file]));
  const mask = await maskOf(deps, id);
  const found: Uint8Array[] = [];
  for (const { fileId, from, to } of lines) {
    const file = files.get(fileId);
    if (file === undefined) throw new FuelError('not_found', 'The archive no longer has the file of this message.');
    const line = Buffer.concat(await Array.fromAsync(readRange(deps, file, { from, to })));
    found.push(mask === null ? line : maskLine(mask, line));
  }
  return found;
}

/** The bytes of an image or document. Errors: not_found, ambiguous, too_large. */
export async function readMedia(deps: Deps, idOrPrefix: string, address: BlockAddress): Promise<Uint8Array> {
  const { id } = await findSession(deps.engine.kysely, idOrPrefix);
  const place = await findBlock(deps.engine.kysely, id, address);
  const lines = await readRawMessage(deps, id, address.messageId);
  const bytes = bytesOf(mediaAt(lines.flatMap(contentOf), place, address.part));
  if (bytes !== null) return bytes;
  throw new FuelError('not_found', 'The block has no image or document with bytes.', {
    hint: 'Blocks of type image and document have bytes, and tool results that contain images.',
  });
}

type Part = Readonly<Record<string, unknown>>;

/** The content of a line; nothing for a line that is not valid JSON. */
function contentOf(line: Uint8Array): readonly Part[] {
  try {
    const { message } = JSON.parse(new TextDecoder().decode(line)) as { readonly message?: Part };
    return partsOf(message?.['content']);
  } catch {
    return [];
  }
}

function partsOf(content: unknown): readonly Part[] {
  return Array.isArray(content) ? content.filter((part) => typeof part === 'object' && part !== null) : [];
}

const MEDIA = new Set<unknown>(['image', 'document']);

function mediaAt(content: readonly Part[], { blockType, index }: BlockPlace, part: number): Part | undefined {
  const block = content.filter(({ type }) => type === blockType)[index];
  if (blockType === 'tool_result') return partsOf(block?.['content']).filter(({ type }) => MEDIA.has(type))[part];
  return MEDIA.has(blockType) && part === 0 ? block : undefined;
}

/** Base64, or the text of a plain document. A source may also be a URL, which is never fetched. */
function bytesOf(media: Part | undefined): Uint8Array | null {
  const { type, data } = (media?.['source'] ?? {}) as Part;
  if (typeof data !== 'string') return null;
  return Buffer.from(data, type === 'text' ? 'utf8' : 'base64');
}
