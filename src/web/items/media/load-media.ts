import type { ApiBase } from '../../../client/client.ts';
import type { Media } from '../../../reading/media.ts';
import { CLIENTS } from '../../api/client.ts';
import { type ImageSize, imageSize } from './image-size.ts';

/** An image that can be shown, or the reason why it cannot. */
export type LoadedMedia =
  | ({ readonly kind: 'image'; readonly url: string; readonly type: string } & ImageSize)
  | { readonly kind: 'problem'; readonly text: string };

export interface MediaPlace {
  readonly base: ApiBase;
  readonly sessionId: string;
}

/** The formats that the server recognizes by their bytes. None of them can contain a script. */
const SHOWN_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_PIXELS = 60_000_000;

export function fetchMedia({ base, sessionId }: MediaPlace, { messageId, block, part }: Media): Promise<Response> {
  return CLIENTS[base].get('/sessions/:id/messages/:message_id/blocks/:block_order/bytes', {
    params: { id: sessionId, message_id: messageId, block_order: String(block) },
    query: { part },
  });
}

export async function loadImage(place: MediaPlace, media: Media): Promise<LoadedMedia> {
  const response = await fetchMedia(place, media);
  const type = response.headers.get('content-type') ?? '';
  if (!SHOWN_TYPES.has(type)) return await refuse(response, 'not an image that can be shown');
  if (Number(response.headers.get('content-length')) > MAX_BYTES) return await refuse(response, 'too large to show');
  const bytes = new Uint8Array(await response.arrayBuffer());
  const size = imageSize(bytes);
  if (size === null || size.width === 0 || size.height === 0) return { kind: 'problem', text: 'damaged' };
  if (bytes.length > MAX_BYTES || size.width * size.height > MAX_PIXELS)
    return { kind: 'problem', text: 'too large to show' };
  return { kind: 'image', url: URL.createObjectURL(new Blob([bytes], { type })), type, ...size };
}

async function refuse(response: Response, text: string): Promise<LoadedMedia> {
  await response.body?.cancel();
  return { kind: 'problem', text };
}

/** Saves the bytes as a file. Their type is not passed on, so that the browser does not open them. */
export async function saveMedia(place: MediaPlace, media: Media): Promise<void> {
  const response = await fetchMedia(place, media);
  const url = URL.createObjectURL(new Blob([await response.arrayBuffer()], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${media.kind}-${media.messageId.slice(0, 8)}-${media.block}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
