import { type App, type AppOptions, databasePath, type ImportOptions, openApp } from './open-app.ts';
import { TRANSCRIPT_KINDS } from '../capture/file-kinds.ts';
import { UNASSOCIATED } from '../domain/workspace.ts';
import type { ImportReport } from './import.ts';
import { repairJournal } from '../archive/journal/compare.ts';
import { findMissingBlobs } from '../archive/missing-blobs.ts';
import { type Replayed, replayJournal } from '../archive/journal/replay.ts';
import { markJournalKnown } from '../store/queries/archive/stored-records.ts';
import { markAllUnparsed } from '../store/queries/sessions/session-state.ts';

export interface RebuildReport extends ImportReport {
  readonly captures_replayed: number;
  /** Captures that only the old database still knew; the journal has them again. */
  readonly captures_from_database: number;
  /** Lines of the journal that could not be read. */
  readonly damaged_journal_lines: readonly string[];
  /** Addresses of blobs that files are made of and the archive lacks. */
  readonly missing_blobs: readonly string[];
  /** Rows that no archive holds, carried over from the old database: events, notes, shares, tokens and the like. */
  readonly rows_kept: number;
  /** What of the old database could not be read or carried over, in words. */
  readonly rows_lost: readonly string[];
  /** Nothing was wrong with the old database. */
  readonly is_database_whole: boolean;
  /** Where the old database is kept, if it was damaged or anything is missing. */
  readonly set_aside: string | null;
}

/**
 * Makes the whole store again from the archive: journal and blobs are all that is needed. The embedded database is made
 * built beside the old one and then replaces it; a PostgreSQL database is updated in place.
 * Errors: busy, disk_full, store_unavailable.
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

/** How the journal is read where a session's own lines have not been read yet. */
export const REPLAY = { workspace: UNASSOCIATED, transcriptKinds: TRANSCRIPT_KINDS } as const;

export function replay({ store, journal }: App): Promise<Replayed> {
  return replayJournal({ engine: store.engine, journal, ...REPLAY });
}
