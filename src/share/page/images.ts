import { imageTypeOf } from '../../domain/image-type.ts';
import { formatBytes } from '../../reading/format.ts';
import type { Media } from '../../reading/media.ts';

/** The bytes of an image; null if the archive has none. */
export type ReadImage = (media: Media) => Promise<Uint8Array | null>;

/** An image within the page, or the reason why it is not in it. */
export type PageImage = { readonly url: string } | { readonly why: string };

export interface PageImages {
  /** Null for what is only named: documents, and images of a page without images. */
  load(media: Media): Promise<PageImage | null>;
  /** Images in the page so far. */
  count(): number;
}

const MAX_IMAGE_BYTES = 4 * 1024 * 1024;
/** All images of a page together; browsers and mail servers have trouble with larger files. */
const MAX_PAGE_BYTES = 32 * 1024 * 1024;

export function createPageImages(read: ReadImage | null): PageImages {
  let [count, total] = [0, 0];
  const load = async (media: Media): Promise<PageImage> => {
    const bytes = (await read?.(media)) ?? null;
    const type = bytes === null ? null : imageTypeOf(bytes);
    if (bytes === null || type === null) return { why: 'not included: the archive has no image that browsers show' };
    if (bytes.length > MAX_IMAGE_BYTES) return { why: `not included: larger than ${formatBytes(MAX_IMAGE_BYTES)}` };
    if (total + bytes.length > MAX_PAGE_BYTES)
      return { why: `not included: the images before it have ${formatBytes(MAX_PAGE_BYTES)}` };
    total += bytes.length;
    count += 1;
    return { url: `data:${type};base64,${Buffer.from(bytes).toString('base64')}` };
  };
  return {
    load: async (media) => (read === null || media.kind !== 'image' ? null : load(media)),
    count: () => count,
  };
}
