import { FuelError } from '../domain/errors.ts';
import type { ArchiveJournal, BlobStore } from '../domain/ports.ts';
import type { Engine } from '../store/engine.ts';
import type { Capture } from '../store/queries/archive/archive.ts';
import { forgetCapture } from '../store/queries/archive/stored-records.ts';
import { hashGeneration } from './archive-bytes.ts';
import { sourceFileId } from './captures.ts';
import { compareJournal } from './journal/compare.ts';
import { replayCaptures } from './journal/replay.ts';

interface Deps {
  readonly engine: Engine;
  readonly blobs: BlobStore;
  readonly journal: ArchiveJournal;
}

/**
 * Adopts captures from an old database that the journal does not contain. Unless the database is trusted because it is not damaged, each is checked
 * against its bytes where they exist. It creates its session like any other capture.
 */
export async function adoptCaptures(
  deps: Deps,
  isTrusted: boolean,
): Promise<{ readonly captures: number; readonly problems: readonly string[] }> {
  const { engine, journal } = deps;
  const { missing } = await compareJournal(engine, journal);
  let [captures, refused] = [0, 0];
  for (const { capture, at } of missing) {
    if (isTrusted || (await isAuthentic(deps, capture))) {
      await replayCaptures(engine, [{ capture, at }]);
      captures++;
    } else {
      await engine.transaction((tx) => forgetCapture(tx, capture));
      refused++;
    }
  }
  return {
    captures,
    problems: refused > 0 ? [refused === 1 ? '1 capture was damaged' : `${refused} captures were damaged`] : [],
  };
}

/** The id depends on device and path, the SHA-256 on the bytes: random damage cannot satisfy both. */
async function isAuthentic({ engine, blobs }: Deps, capture: Capture): Promise<boolean> {
  if (sourceFileId(capture) !== capture.id) return false;
  const sizeBytes = capture.segments.reduce((sum, segment) => sum + segment.sizeBytes, 0);
  if (sizeBytes !== capture.sizeBytes) return false;
  try {
    const sha256 = await hashGeneration({ engine, blobs }, capture);
    return capture.sha256 === null || capture.sha256 === sha256;
  } catch (error) {
    // A missing blob may still be restored from a backup.
    return error instanceof FuelError && error.code === 'blob_missing';
  }
}
