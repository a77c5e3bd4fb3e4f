import { mapConcurrently } from '../lib/timing.ts';
import type { HeldBytes } from './archive-bytes.ts';
import { acceptFiles, type ArchiveDeps, type ChangedFile, storeNewBytes, type StoredFile } from './find-changes.ts';

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

/**
 * Archives files that the store does not know: all blobs, then the journal, then one transaction. Returns their bytes,
 * which are as intact as blobs read back: they were hashed on the way. The caller limits how many there are.
 */
export async function archiveTogether(
  deps: TogetherDeps,
  changes: readonly ChangedFile[],
  listener: Listener,
): Promise<HeldBytes> {
  const held = new Map<string, Uint8Array[]>();
  const stored: StoredFile[] = [];
  const store = async (change: ChangedFile): Promise<StoredFile | null> => {
    const runs: Uint8Array[] = [];
    const capture = await storeNewBytes(deps, change, null, (bytes) => {
      runs.push(bytes);
      listener.onBytes(bytes.length);
    });
    if (capture === null) return null;
    held.set(keyOf(capture), runs);
    return { change, capture };
  };
  for await (const file of mapConcurrently(changes, deps.concurrency, (change) => tolerate(listener, change, store))) {
    if (file !== null) stored.push(file);
  }
  if (!deps.signal.aborted) await acceptAll(deps, stored, listener);
  return { of: (file) => held.get(keyOf(file)) };
}

function keyOf({ id, generation }: { readonly id: string; readonly generation: number }): string {
  return `${id}#${generation}`;
}

async function tolerate(
  listener: Listener,
  change: ChangedFile,
  run: (change: ChangedFile) => Promise<StoredFile | null>,
): Promise<StoredFile | null> {
  try {
    const file = await run(change);
    if (file === null) listener.onDone(false);
    return file;
  } catch (error) {
    listener.onFailed(change, error);
    return null;
  }
}

/** A file that cannot be recorded must not take the others along: then each is tried alone. */
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
