import { useEffect, useState } from 'react';
import type { Media } from '../../../reading/media.ts';
import { type LoadedMedia, loadImage, type MediaPlace } from './load-media.ts';

interface Held {
  readonly loading: Promise<LoadedMedia>;
  /** Known at once when the row comes back, so that it does not change its height again. */
  loaded: LoadedMedia | null;
  users: number;
}

/** Images that nobody shows at the moment are kept up to this number, because rows come and go while scrolling. */
const MAX_UNUSED = 8;
const held = new Map<string, Held>();

function acquire(key: string, load: () => Promise<LoadedMedia>): Held {
  const entry = held.get(key) ?? { loading: load(), loaded: null, users: 0 };
  entry.users += 1;
  held.delete(key);
  held.set(key, entry);
  return entry;
}

function release(entry: Held): void {
  entry.users -= 1;
  const unused = [...held].filter(([, each]) => each.users === 0);
  for (const [key, each] of unused.slice(0, Math.max(0, unused.length - MAX_UNUSED))) {
    held.delete(key);
    void each.loading.then((media) => media.kind === 'image' && URL.revokeObjectURL(media.url)).catch(() => {});
  }
}

/** Settles once the images on the page are loaded, or cannot be. */
export async function whenMediaLoaded(): Promise<void> {
  await Promise.allSettled(Array.from(held.values(), ({ loading }) => loading));
}

/** An image of the archive; null while it is loading. */
export function useMedia(place: MediaPlace, media: Media): LoadedMedia | null {
  const { base, sessionId } = place;
  const { messageId, block, part } = media;
  const key = [base, sessionId, messageId, block, part].join('\n');
  const [loaded, setLoaded] = useState<{ readonly key: string; readonly media: LoadedMedia } | null>(null);
  useEffect(() => {
    let isCurrent = true;
    const show = (result: LoadedMedia) => isCurrent && setLoaded({ key, media: result });
    const entry = acquire(key, () => loadImage({ base, sessionId }, media));
    const keep = (result: LoadedMedia) => {
      entry.loaded = result;
      show(result);
    };
    entry.loading.then(keep, (error: unknown) => {
      held.delete(key);
      show({ kind: 'problem', text: error instanceof Error ? error.message : 'not available' });
    });
    return () => {
      isCurrent = false;
      release(entry);
    };
    // oxlint-disable-next-line react/exhaustive-deps -- the key names the media
  }, [key]);
  return loaded?.key === key ? loaded.media : (held.get(key)?.loaded ?? null);
}
