import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { adoptCaptures } from '../archive/adopt-captures.ts';
import { repairJournal } from '../archive/journal/compare.ts';
import { findMissingBlobs } from '../archive/verify.ts';
import { readDevice } from '../capture/device.ts';
import { FuelError } from '../domain/errors.ts';
import { acquireFileLock } from '../lib/lock-file.ts';
import { makePrivateFolder } from '../lib/private-file.ts';
import type { Engine, TableName } from '../store/engine.ts';
import { tablesOf } from '../store/kept-tables.ts';
import { markJournalKnown } from '../store/queries/archive/stored-records.ts';
import { importLease, withLease } from '../store/queries/claims/leases.ts';
import { applyDeletions } from '../store/queries/deletions/remove-session.ts';
import { linkEvents, restoreReportedSessions } from '../store/queries/events/events.ts';
import { showTags } from '../store/queries/people/annotations.ts';
import { listSessionsWithoutRows } from '../store/queries/sessions/session-state.ts';
import { keepOldRows } from '../store/sqlite/keep-rows.ts';
import { openSqlite } from '../store/sqlite/open.ts';
import { lockDatabase, salvageTables } from '../store/sqlite/salvage.ts';
import { finishSwap, removeDatabase, swapDatabase } from '../store/sqlite/swap.ts';
import type { ImportReport } from './import.ts';
import { type App, type AppOptions, type ImportOptions, openApp } from './open-app.ts';
import { type RebuildReport, replay } from './rebuild.ts';

/** The embedded database as it was found. */
interface Old {
  readonly path: string;
  readonly isThere: boolean;
  /** If it is undamaged, its rows are newer than the journal. */
  readonly isWhole: boolean;
}

/** Builds a new database and replaces the old one when it is complete. If killed, one of them is left intact. */
export async function rebuildEmbedded(options: AppOptions, run: ImportOptions, path: string): Promise<RebuildReport> {
  const { home } = options.config;
  makePrivateFolder(home);
  const lock = acquireFileLock(join(home, 'rebuild.lock'));
  if (lock === null) {
    throw new FuelError('busy', 'Another fuel-code process is rebuilding this database.', {
      hint: 'Wait for it to finish.',
    });
  }
  const fresh = `${path}.rebuild`;
  try {
    finishSwap(path);
    removeDatabase(fresh);
    const isThere = existsSync(path);
    return await whileNobodyImports(options, path, run.signal, async (engine) => {
      const isWhole = engine !== null && (await engine.findDamage('full')).length === 0;
      return buildAndSwap(options, run, { path, isThere, isWhole }, fresh);
    });
  } finally {
    removeDatabase(fresh);
    lock.release();
  }
}

const RETRY_MS = 500;

/** Holds the import lease of the old database, if that database still works. */
async function whileNobodyImports<T>(
  { config }: AppOptions,
  path: string,
  signal: AbortSignal | undefined,
  work: (old: Engine | null) => Promise<T>,
): Promise<T> {
  const engine = existsSync(path) ? tryOpen(path) : null;
  const device = readDevice(config.home);
  if (engine === null || device === null) return work(null);
  try {
    for (;;) {
      let isHeld = false;
      try {
        return await withLease(engine, importLease(device.id), () => {
          isHeld = true;
          return work(engine);
        });
      } catch (error) {
        if (isHeld) throw error;
        if (!(error instanceof FuelError && error.code === 'busy')) return await work(engine);
        if (signal?.aborted) throw error;
      }
      await sleep(RETRY_MS);
    }
  } finally {
    await engine.close().catch(() => {});
  }
}

function tryOpen(path: string): Engine | null {
  try {
    return openSqlite(path);
  } catch (error) {
    if (error instanceof FuelError && error.code === 'store_corrupt') return null;
    throw error;
  }
}

async function buildAndSwap(options: AppOptions, run: ImportOptions, old: Old, fresh: string): Promise<RebuildReport> {
  const built = await build(options, run, old, fresh);
  const lock = old.isThere ? lockDatabase(old.path) : null;
  try {
    // Rows that other processes have written meanwhile.
    if (old.isThere && built.wasRead) salvage(old, fresh, tablesOf('kept'));
    const aside = `${old.path}.broken-${options.clock.now().toISOString().replaceAll(/[:.]/g, '-')}`;
    swapDatabase(old.path, fresh, aside);
    const isKept = old.isThere && !(old.isWhole && isComplete(built.report));
    if (!isKept) removeDatabase(aside);
    return { ...built.report, set_aside: isKept ? aside : null };
  } finally {
    lock?.release();
  }
}

function isComplete({ failed, missing_blobs, rows_lost }: RebuildReport): boolean {
  return failed.length === 0 && missing_blobs.length === 0 && rows_lost.length === 0;
}

interface Built {
  readonly report: RebuildReport;
  /** Whether any part of the old database could be read. */
  readonly wasRead: boolean;
}

async function build(options: AppOptions, run: ImportOptions, old: Old, fresh: string): Promise<Built> {
  await using app = await openApp({ ...options, sqlitePath: fresh });
  const { engine } = app.store;
  // First, because captures and notes refer to devices and workspaces, which may be merged.
  const places = old.isThere ? [salvage(old, fresh, ['devices', 'workspaces'])] : [];
  const { captures, damaged } = await replay(app);
  const carried = old.isThere ? [salvage(old, fresh, tablesOf('archived')), salvage(old, fresh, tablesOf('kept'))] : [];
  const adopted = await adoptCaptures({ ...app, engine }, old.isWhole);
  await applyDeletions(engine);
  await engine.transaction((tx) => restoreReportedSessions(tx, options.clock.now().toISOString()));
  await showTags(engine.kysely);
  await repairJournal(engine, app.journal);
  const report = await importAll(app, run);
  const withoutRows = old.isThere ? await listSessionsWithoutRows(engine.kysely) : [];
  if (withoutRows.length > 0) carried.push(keepOldRows(old.path, fresh, withoutRows));
  await linkEvents(engine.kysely);
  await markJournalKnown(engine.kysely, app.journal.name, options.clock.now().toISOString());
  return {
    wasRead: carried.some(({ rows }) => rows > 0),
    report: {
      ...report,
      captures_replayed: captures,
      captures_from_database: adopted.captures,
      damaged_journal_lines: damaged,
      missing_blobs: await findMissingBlobs(app),
      rows_kept: carried.slice(1).reduce((sum, { rows }) => sum + rows, 0),
      rows_lost: [...new Set([...[...places, ...carried].flatMap(({ problems }) => problems), ...adopted.problems])],
      is_database_whole: old.isWhole,
      set_aside: null,
    },
  };
}

/** A partial database must not replace a complete one. Errors: interrupted. */
async function importAll(app: App, run: ImportOptions): Promise<ImportReport> {
  const report = await app.importNew(run);
  if (!run.signal?.aborted) return report;
  throw new FuelError('interrupted', 'The rebuild was interrupted; the database is unchanged.', {
    hint: 'Run it again to start over.',
  });
}

/** Rows of an undamaged database win over the journal; a damaged one only fills gaps. */
function salvage({ path, isWhole }: Old, fresh: string, tables: readonly TableName[]) {
  return salvageTables({ from: path, to: fresh, tables, wins: isWhole ? 'old' : 'new' });
}
