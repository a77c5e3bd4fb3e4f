import { mapConcurrently } from '../lib/timing.ts';
import type { Capture } from '../store/queries/archive/archive.ts';
import { generationKey, type HeldBytes } from './archive-bytes.ts';
import { acceptFiles, type StoreDeps, type StoredFile, storeUnknown } from './archive-file.ts';
import type { ArchiveDeps, ChangedFile } from './find-changes.ts';

interface TogetherDeps extends ArchiveDeps {
  readonly signal: AbortSignal;
  /** Files archived in parallel; most of the time is spent waiting for fsync. */
  readonly concurrency: number;
}

interface Listener {
  readonly onBytes: (count: number) => void;
  readonly onDone: (wasChanged: boolean) => void;
  /** Throws when other files would fail as well. */
  readonly onFailed: (change: ChangedFile, error: unknown) => void;
}

/** Stores the bytes of files that the database does not know, and keeps them in memory for the parse. */
export interface FileStorer {
  /** Calls `done` as soon as a file is stored or has failed. */
  store(changes: readonly ChangedFile[], done: (result: StoreResult) => void): Promise<void>;
}

/** A capture is null when there was nothing to store. */
type StoreResult = { readonly change: ChangedFile } & (
  | { readonly capture: Capture | null; readonly bytes: number }
  | { readonly error: unknown }
);

/** Stores files in this thread. The bytes are as intact as blobs read back: they were hashed on the way. */
export function createStorer(
  deps: StoreDeps & Pick<TogetherDeps, 'concurrency' | 'signal'>,
): FileStorer & { held: HeldBytes } {
  const held = new Map<string, readonly Uint8Array[]>();
  const storeOne = async (change: ChangedFile): Promise<StoreResult> => {
    const runs: Uint8Array[] = [];
    try {
      const capture = await storeUnknown(deps, change, (bytes) => void runs.push(bytes));
      if (capture !== null) held.set(generationKey(capture), runs);
      return { change, capture, bytes: runs.reduce((sum, { length }) => sum + length, 0) };
    } catch (error) {
      return { change, error };
    }
  };
  return {
    store: async (changes, done) => {
      for await (const result of mapConcurrently(changes, deps.concurrency, storeOne)) {
        if (deps.signal.aborted) return;
        done(result);
      }
    },
    held: {
      of: (file) => held.get(generationKey(file)),
      drop: (file) => void held.delete(generationKey(file)),
    },
  };
}

/** Archives files that the store does not know: all blobs, then the journal, then one transaction. */
export async function archiveTogether(
  deps: TogetherDeps,
  storer: FileStorer,
  changes: readonly ChangedFile[],
  listener: Listener,
): Promise<void> {
  const stored: StoredFile[] = [];
  await storer.store(changes, (result) => {
    const { change } = result;
    if ('error' in result) return listener.onFailed(change, result.error);
    listener.onBytes(result.bytes);
    if (result.capture === null) listener.onDone(false);
    else stored.push({ change, capture: result.capture });
  });
  if (!deps.signal.aborted) await acceptAll(deps, stored, listener);
}

/** A file that cannot be recorded must not fail the others: each is then tried alone. */
async function acceptAll(deps: TogetherDeps, stored: readonly StoredFile[], listener: Listener): Promise<void> {
  if (stored.length === 0) return;
  try {
    await acceptFiles(deps, stored);
    for (const _ of stored) listener.onDone(true);
    return;
  } catch (error) {
    const [only] = stored;
    if (stored.length === 1 && only !== undefined) return listener.onFailed(only.change, error);
  }
  for (const file of stored) await acceptAll(deps, [file], listener);
}
