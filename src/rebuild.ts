import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { type App, type AppOptions, openApp } from './app.ts';
import { TRANSCRIPT_KINDS } from './capture/file-kinds.ts';
import { UNASSOCIATED } from './domain/workspace.ts';
import { FuelError } from './domain/errors.ts';
import type { ImportReport } from './import.ts';
import type { ImportOptions } from './app.ts';
import { replayJournal } from './ingest/replay-journal.ts';
import { markAllUnparsed } from './store/queries/session-state.ts';

export interface RebuildReport extends ImportReport {
  readonly captures_replayed: number;
  /** Where a database that could not be opened was put aside. */
  readonly set_aside: string | null;
}

/**
 * Derives the whole store again from the archive: journal and blobs are all that is needed. A database that cannot be
 * opened is put aside, never deleted.
 */
export async function rebuild(options: AppOptions, run: ImportOptions): Promise<RebuildReport> {
  const { app, setAside } = await openOrSetAside(options);
  await using _ = app;
  const { engine } = app.store;
  const { captures } = await replayJournal({
    engine,
    journal: app.journal,
    workspace: UNASSOCIATED,
    transcriptKinds: TRANSCRIPT_KINDS,
  });
  await markAllUnparsed(engine.kysely);
  const report = await app.importNew(run);
  return { ...report, captures_replayed: captures, set_aside: setAside };
}

async function openOrSetAside(options: AppOptions): Promise<{ readonly app: App; readonly setAside: string | null }> {
  const path = join(options.config.home, 'fuel.db');
  try {
    return { app: await openApp(options), setAside: null };
  } catch (error) {
    const isBroken = error instanceof FuelError && error.code === 'store_unavailable';
    if (!isBroken || options.config.databaseUrl !== null || !existsSync(path)) throw error;
    const setAside = `${path}.broken-${options.clock.now().toISOString().replaceAll(/[:.]/g, '-')}`;
    renameSync(path, setAside);
    for (const tail of ['-wal', '-shm']) if (existsSync(path + tail)) renameSync(path + tail, setAside + tail);
    return { app: await openApp(options), setAside };
  }
}
