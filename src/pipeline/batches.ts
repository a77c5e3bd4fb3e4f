/** Sessions that are parsed together share their transactions; more would only take more memory. */
export const MAX_BATCH_BYTES = 6 * 1024 * 1024;
/** Leaves work for other processes on the same database. */
const MAX_BATCH_SESSIONS = 16;

interface Sized {
  /** Bytes of its transcripts. */
  readonly bytes: number;
  /** It must not share a transaction. */
  readonly isAlone: boolean;
}

/** Divides sessions into batches, in order. A larger session is a batch of its own. */
export function inBatches<T>(items: readonly T[], sizeOf: (item: T) => Sized): readonly (readonly T[])[] {
  const batches: T[][] = [];
  let open: T[] = [];
  let bytes = 0;
  const close = () => {
    if (open.length > 0) batches.push(open);
    open = [];
    bytes = 0;
  };
  for (const item of items) {
    const size = sizeOf(item);
    const isAlone = size.isAlone || size.bytes > MAX_BATCH_BYTES;
    if (isAlone || bytes + size.bytes > MAX_BATCH_BYTES || open.length === MAX_BATCH_SESSIONS) close();
    open.push(item);
    bytes += size.bytes;
    if (isAlone) close();
  }
  close();
  return batches;
}

/**
 * Yields batches in order, but postpones those with sessions that are being indexed. The index goes through the sessions in
 * the same order, so a faster step would otherwise wait for each of its batches.
 */
export function* freeFirst<T>(batches: readonly T[], isBusy: (batch: T) => boolean): Generator<T> {
  const left = [...batches];
  while (left.length > 0) {
    const free = left.findIndex((batch) => !isBusy(batch));
    yield* left.splice(Math.max(0, free), 1);
  }
}
