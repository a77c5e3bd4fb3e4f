import { repairJournal } from '../archive/journal/compare.ts';
import { type Replayed, replayJournal } from '../archive/journal/replay.ts';
import { findMissingBlobs } from '../archive/verify.ts';
import { databasePath } from '../config.ts';
import { markJournalKnown } from '../store/queries/archive/stored-records.ts';
import { markAllUnparsed } from '../store/queries/sessions/session-state.ts';
import type { ImportReport } from './import.ts';
import { type App, type AppOptions, type ImportOptions, openApp } from './open-app.ts';

export interface RebuildReport extends ImportReport {
  readonly captures_replayed: number;
  /** Captures known only to the old database, written to the journal again. */
  readonly captures_from_database: number;
  /** Unreadable lines of the journal. */
  readonly damaged_journal_lines: readonly string[];
  /** SHA-256 of blobs that are missing from the archive. */
  readonly missing_blobs: readonly string[];
  /** Rows that are not in the archive, copied from the old database: events, notes, shares, tokens. */
  readonly rows_kept: number;
  /** Messages about parts of the old database that could not be copied. */
  readonly rows_lost: readonly string[];
  /** The old database was undamaged. */
  readonly is_database_whole: boolean;
  /** Where the old database is kept, if it was damaged or anything is missing. */
  readonly set_aside: string | null;
}

/**
 * Rebuilds the store from the journal and the blobs. An embedded database is built next to the old one and then replaces
 * it; a PostgreSQL database is updated in place. Errors: busy, disk_full, store_unavailable.
 */
export async function rebuild(options: AppOptions, run: ImportOptions): Promise<RebuildReport> {
  if (options.config.databaseUrl === null) {
    const { rebuildEmbedded } = await import('./rebuild-embedded.ts');
    return rebuildEmbedded(options, run, databasePath(options.config.home));
  }
  await using app = await openApp(options);
  const { engine } = app.store;
  const { captures, damaged } = await replay(app);
  const repaired = await repairJournal(engine, app.journal);
  await markAllUnparsed(engine.kysely);
  const report = await app.importNew(run);
  await markJournalKnown(engine.kysely, app.journal.name, options.clock.now().toISOString());
  return {
    ...report,
    captures_replayed: captures,
    captures_from_database: repaired,
    damaged_journal_lines: damaged,
    missing_blobs: await findMissingBlobs(app),
    rows_kept: 0,
    rows_lost: [],
    is_database_whole: true,
    set_aside: null,
  };
}

export function replay({ store, journal }: App): Promise<Replayed> {
  return replayJournal(store.engine, journal);
}
