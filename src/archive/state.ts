import { constants, existsSync } from 'node:fs';
import { FuelError, fileReasonOf } from '../domain/errors.ts';
import type { ArchiveJournal, Clock } from '../domain/ports.ts';
import { canAccess, isDiskFull, makePrivateFolder } from '../lib/private-file.ts';
import type { Engine } from '../store/engine.ts';
import {
  eventsOfJournal,
  hasCaptures,
  isJournalKnown,
  isJournalMarked,
  markJournalKnown,
} from '../store/queries/archive/stored-records.ts';
import { hasEvents } from '../store/queries/events/events.ts';

/** Checks that the data folder and the archive in it are usable and consistent. */

interface StateDeps {
  readonly engine: Engine;
  readonly journal: ArchiveJournal;
  readonly clock: Clock;
}

/**
 * Counts captures of the journal that the database lacks. A database that has replayed the journal once stays in sync;
 * a new one beside an existing journal may replace a lost one.
 */
export async function countUnknownCaptures({ engine, journal, clock }: StateDeps): Promise<number> {
  if (await isJournalKnown(engine.kysely, journal.name)) return 0;
  const { unknown: count, isInProgress } = (await journal.isEmpty())
    ? { unknown: 0, isInProgress: false }
    : await compare({ engine, journal });
  if (count === 0 && !isInProgress && !engine.isReadOnly) {
    await markJournalKnown(engine.kysely, journal.name, clock.now().toISOString());
  }
  return count;
}

async function compare({ engine, journal }: Pick<StateDeps, 'engine' | 'journal'>) {
  const { compareJournal } = await import('./journal/compare.ts');
  return compareJournal(engine, journal);
}

/** Rewrites a deleted journal from the store, before the store is lost too. */
export async function ensureJournal(deps: StateDeps): Promise<void> {
  const { engine, journal } = deps;
  await journalEventsOnce(deps);
  if (!(await journal.isEmpty()) || !(await hasCaptures(engine.kysely))) return;
  const { repairJournal } = await import('./journal/compare.ts');
  await repairJournal(engine, journal);
}

/** Runs once: version 0.1 stored hook events in the database only. */
async function journalEventsOnce({ engine, journal, clock }: StateDeps): Promise<void> {
  const mark = eventsOfJournal(journal.name);
  if (await isJournalMarked(engine.kysely, mark)) return;
  if ((await hasEvents(engine.kysely)) && !(await journal.isEmpty())) {
    const { journalOldEvents } = await import('./journal/compare.ts');
    await journalOldEvents(engine, journal);
  }
  await markJournalKnown(engine.kysely, mark, clock.now().toISOString());
}

/**
 * Checked before any work is claimed: on a full disk not even a failure could be recorded. Errors: disk_full,
 * file_unavailable for a folder that cannot be written.
 */
export function ensureWritable(home: string, isReadOnly: boolean): void {
  if (isReadOnly) {
    throw new FuelError('file_unavailable', `The data folder ${home} is not writable; nothing was imported.`, {
      hint: 'Make the folder and its contents writable for the user that runs fuel-code.',
    });
  }
  if (!isDiskFull(home)) return;
  throw new FuelError('disk_full', `The disk of the data folder ${home} is full; nothing was imported.`, {
    hint: 'Free some space on that disk and try again. Everything imported so far is safe.',
  });
}

/** Makes the data folder private, or detects that it is read-only. Errors: bad_config. */
export function openDataFolder(home: string): 'writable' | 'read-only' {
  if (existsSync(home) && !canWrite(home)) return 'read-only';
  try {
    makePrivateFolder(home);
    return 'writable';
  } catch (cause) {
    const { why } = fileReasonOf(cause);
    throw new FuelError('bad_config', `Cannot create or use the data folder ${home}: ${why}.`, {
      hint: 'Set FUEL_CODE_HOME to a writable folder.',
      cause,
    });
  }
}

export function canWrite(folder: string): boolean {
  return canAccess(folder, constants.R_OK | constants.W_OK | constants.X_OK);
}
