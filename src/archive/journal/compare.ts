import { annotationFromJournal } from '../../domain/annotation.ts';
import { budgetFromJournal } from '../../domain/budget.ts';
import { deletionFromJournal } from '../../domain/deletion.ts';
import { deviceToJournal } from '../../domain/device.ts';
import { toJournal } from '../../domain/journal-note.ts';
import { maskFromJournal } from '../../domain/masking.ts';
import type { ArchiveJournal } from '../../domain/ports.ts';
import { viewNoteFromJournal } from '../../domain/saved-view.ts';
import type { JsonObject } from '../../domain/transcript.ts';
import { deviceNoteFromJournal, workspaceNoteFromJournal } from '../../domain/workspace-note.ts';
import type { Engine } from '../../store/engine.ts';
import type { Capture, TimedCapture } from '../../store/queries/archive/archive.ts';
import {
  listStoredAnnotations,
  listStoredCaptures,
  listStoredDeviceNotes,
  listStoredDevices,
  listStoredWorkspaceNotes,
} from '../../store/queries/archive/stored-records.ts';
import { CAPTURE_LEASES, isAnyLeased } from '../../store/queries/claims/leases.ts';
import { listDeletions, loadDeleted } from '../../store/queries/deletions/deletions.ts';
import { listEventIds, loadAcceptedEvents } from '../../store/queries/events/events.ts';
import { listMasks } from '../../store/queries/masks/masks.ts';
import { listStoredBudgets } from '../../store/queries/people/budgets.ts';
import { listViews, viewNote } from '../../store/queries/people/views.ts';
import { captureRecord, readCaptureRecord } from '../captures.ts';
import { eventsFromJournal, eventsRecord } from './records.ts';

interface JournalComparison {
  /** Number of captures in the journal. */
  readonly captures: number;
  /** Positions of unreadable lines. */
  readonly damaged: readonly string[];
  /** Number of captures in the journal that are missing from the database; 0 while captures are in progress. */
  readonly unknown: number;
  /** A process is importing: it writes to the journal first, so the database lags behind. */
  readonly isInProgress: boolean;
  /** Captures in the database that are missing from the journal. */
  readonly missing: readonly TimedCapture[];
  /** Ids of hook events in the database that are missing from the journal. */
  readonly missingEvents: readonly string[];
}

/** Compares the journal with the store in both directions. */
export async function compareJournal(engine: Engine, journal: ArchiveJournal): Promise<JournalComparison> {
  const stored = await listStoredCaptures(engine.kysely);
  const known = new Set(stored.flatMap(({ capture }) => keysOf(capture)));
  const deleted = await loadDeleted(engine.kysely);
  const journaled = new Set<string>();
  const journaledEvents = new Set<string>();
  const damaged: string[] = [];
  const unseen: Capture[] = [];
  let captures = 0;
  for await (const record of journal.read((position) => damaged.push(position))) {
    const capture = readCaptureRecord(record)?.capture;
    if (capture === undefined) {
      for (const { id } of eventsFromJournal(record)?.events ?? []) journaledEvents.add(id);
      continue;
    }
    captures++;
    const keys = keysOf(capture);
    for (const key of keys) journaled.add(key);
    const isGone = deleted.sessions.has(capture.sessionId ?? '');
    if (!isGone && !keys.every((key) => known.has(key))) unseen.push(capture);
  }
  const missing = stored.filter(({ capture }) => !keysOf(capture).every((key) => journaled.has(key)));
  const missingEvents = (await listEventIds(engine.kysely)).filter((id) => !journaledEvents.has(id));
  const isInProgress = unseen.length > 0 && (await isAnyLeased(engine, CAPTURE_LEASES));
  const unknown = isInProgress ? 0 : await countUnknown(engine, unseen);
  return { captures, damaged, unknown, isInProgress, missing, missingEvents };
}

/** Asks the store again, since it was read before the journal and may have caught up. */
async function countUnknown(engine: Engine, unseen: readonly Capture[]): Promise<number> {
  if (unseen.length === 0) return 0;
  const known = new Set((await listStoredCaptures(engine.kysely)).flatMap(({ capture }) => keysOf(capture)));
  return unseen.filter((capture) => !keysOf(capture).every((key) => known.has(key))).length;
}

function keysOf({ id, generation, segments }: Capture): readonly string[] {
  return [
    `${id} ${generation}`,
    ...segments.map(({ startOffset, sha256 }) => `${id} ${generation} ${startOffset} ${sha256}`),
  ];
}

/**
 * Writes captures and hook events that only the store has to the journal; if captures are missing or lines are damaged,
 * annotations and decisions as well. Returns the number of captures added.
 */
export async function repairJournal(engine: Engine, journal: ArchiveJournal): Promise<number> {
  const { damaged, missing, missingEvents } = await compareJournal(engine, journal);
  const events = await eventRecords(engine, missingEvents);
  if (damaged.length === 0 && missing.length === 0) {
    if (events.length > 0) await journal.repair(events);
    return 0;
  }
  const captures = missing.map(({ capture, at }) => captureRecord(capture, at));
  await journal.repair([...(await missingNotes(engine, journal)), ...captures, ...events]);
  return captures.length;
}

const EVENTS_IN_RECORD = 100;

async function eventRecords({ kysely }: Engine, ids: readonly string[]): Promise<readonly JsonObject[]> {
  const records: JsonObject[] = [];
  for (let from = 0; from < ids.length; from += EVENTS_IN_RECORD) {
    const accepted = await loadAcceptedEvents(kysely, ids.slice(from, from + EVENTS_IN_RECORD));
    for (const [at, group] of Map.groupBy(accepted, (one) => one.at)) {
      records.push(eventsRecord({ at, events: group.map(({ event }) => event), workspaces: [] }));
    }
  }
  return records;
}

/** Writes events that only the database has to the journal; older versions did not journal events. */
export async function journalOldEvents(engine: Engine, journal: ArchiveJournal): Promise<void> {
  const { missingEvents } = await compareJournal(engine, journal);
  for (const record of await eventRecords(engine, missingEvents)) await journal.append(record);
  await journal.flush();
}

/** User annotations and decisions that the journal no longer contains. */
async function missingNotes(engine: Engine, journal: ArchiveJournal): Promise<readonly JsonObject[]> {
  const journaled = new Set<string>();
  for await (const record of journal.read()) {
    const subject = subjectOf(record);
    if (subject !== null) journaled.add(subject);
  }
  const { kysely } = engine;
  const records = [
    ...(await listStoredDevices(kysely)).map(deviceToJournal),
    ...(await listStoredDeviceNotes(kysely)).map(toJournal),
    ...(await listStoredWorkspaceNotes(kysely)).map(toJournal),
    ...(await listStoredAnnotations(kysely)).map(toJournal),
    ...(await listViews(kysely)).map((view) => toJournal(viewNote(view))),
    ...(await listStoredBudgets(kysely)).map(toJournal),
    ...(await listDeletions(kysely)).map(({ sessionId, at, purgeAt, fileIds, forks }) =>
      toJournal({ what: 'session_deleted', sessionId, at, purgeAt, fileIds, forks }),
    ),
    ...(await listMasks(kysely)).map(({ sessionId, at }) => toJournal({ what: 'session_masked', sessionId, at })),
  ];
  return records.filter((record) => !journaled.has(subjectOf(record) ?? ''));
}

/** The subject of a record; a later record about the same subject replaces it. */
function subjectOf(record: JsonObject): string | null {
  const note = workspaceNoteFromJournal(record);
  if (note !== null) {
    if (note.what === 'workspace_renamed') return `workspace ${note.canonicalId}`;
    return note.what === 'workspace_merged' ? `merge ${note.from}` : `session_workspace ${note.sessionId}`;
  }
  const device = deviceNoteFromJournal(record);
  if (device !== null) return `${device.what} ${device.what === 'device_renamed' ? device.deviceId : device.from}`;
  const view = viewNoteFromJournal(record);
  if (view !== null) return `view ${view.id}`;
  const budget = budgetFromJournal(record);
  if (budget !== null) return `budget ${budget.id}`;
  const deletion = deletionFromJournal(record);
  if (deletion !== null) return `deleted ${deletion.sessionId}`;
  const mask = maskFromJournal(record);
  if (mask !== null) return `masked ${mask.sessionId}`;
  const annotation = annotationFromJournal(record);
  if (annotation === null) return null;
  const { what, sessionId } = annotation;
  return 'id' in annotation ? `note ${annotation.id}` : `${what} ${sessionId}`;
}
