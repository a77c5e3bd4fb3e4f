import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { healArchive } from '../archive/heal.ts';
import { repairJournal } from '../archive/journal/compare.ts';
import { verifyArchive, type VerifyReport } from '../archive/verify.ts';
import type { App } from './open-app.ts';

export type { VerifyReport } from '../archive/verify.ts';

/** Checks the database and every archived byte. */
export function verify({ store, blobs, journal }: App, signal: AbortSignal): Promise<VerifyReport> {
  return verifyArchive({ engine: store.engine, blobs, journal, signal });
}

/** Stores damaged or lost blobs again from their source files and completes the journal. */
export async function heal({ store, blobs, journal, device }: App): Promise<{ blobs: number; captures: number }> {
  const healed = await healArchive({
    engine: store.engine,
    blobs,
    deviceId: device.id,
    readSource: async ({ root, path }) => readFile(join(root, path)).catch(() => null),
  });
  return { blobs: healed.length, captures: await repairJournal(store.engine, journal) };
}
