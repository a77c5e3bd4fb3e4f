import { type Annotation, annotationFromJournal } from '../../domain/annotation.ts';
import { budgetFromJournal } from '../../domain/budget.ts';
import { deletionFromJournal, deletionsAfter } from '../../domain/deletion.ts';
import { deviceFromJournal } from '../../domain/device.ts';
import { TRANSCRIPT_KINDS } from '../../domain/file-kinds.ts';
import { maskFromJournal } from '../../domain/masking.ts';
import type { ArchiveJournal } from '../../domain/ports.ts';
import { viewNoteFromJournal } from '../../domain/saved-view.ts';
import { UNASSOCIATED } from '../../domain/workspace.ts';
import { deviceNoteFromJournal, workspaceNoteFromJournal } from '../../domain/workspace-note.ts';
import type { Engine } from '../../store/engine.ts';
import { saveCaptures, type TimedCapture } from '../../store/queries/archive/archive.ts';
import { loadDeleted, saveDeletion } from '../../store/queries/deletions/deletions.ts';
import { applyDeletions } from '../../store/queries/deletions/remove-session.ts';
import { applyDeviceNote, ensureDevice } from '../../store/queries/devices/device-decisions.ts';
import { loadSessionOwner, saveDevice } from '../../store/queries/devices/devices.ts';
import { restoreReportedSessions } from '../../store/queries/events/events.ts';
import { applyMask } from '../../store/queries/masks/masks.ts';
import { applyAnnotation } from '../../store/queries/people/annotations.ts';
import { applyBudgetNote } from '../../store/queries/people/budgets.ts';
import { applyViewNote } from '../../store/queries/people/views.ts';
import { markBytesCaptured } from '../../store/queries/sessions/session-state.ts';
import { applyWorkspaceNote } from '../../store/queries/workspaces/workspace-decisions.ts';
import { saveWorkspace } from '../../store/queries/workspaces/workspaces.ts';
import { readCaptureRecord, sessionSeed } from '../captures.ts';
import { type AcceptedEvents, eventsFromJournal, gitFromJournal, replayEvents, storeGitReport } from './records.ts';

export interface Replayed {
  readonly captures: number;
  /** Positions of unreadable lines. */
  readonly damaged: readonly string[];
}

/** Replays the journal into the store; leaves existing rows unchanged. */
export async function replayJournal(engine: Engine, journal: ArchiveJournal): Promise<Replayed> {
  const contents = await readJournal(journal);
  const { git, views, budgets, devices, facts, damaged } = contents;
  // First: nothing of these sessions is restored, except the record of bytes that still have to be removed.
  const deletions = deletionsAfter(contents.deletions);
  for (const deletion of deletions.values()) await engine.transaction((tx) => saveDeletion(tx, deletion));
  await applyDeletions(engine);
  const { captures } = contents;
  const { events, notes, annotations, masks } = selectSessions(contents, (id) => !deletions.has(id));
  for (const note of masks) await engine.transaction((tx) => applyMask(tx, note));
  for (const { device, type, at } of facts) await saveDevice(engine.kysely, device, at, type);
  await replayInOrder(engine, { captures, events });
  for (const note of notes) {
    if ('deviceId' in note) await ensureDevice(engine.kysely, note.deviceId, note.at);
    await engine.transaction((tx) => applyWorkspaceNote(tx, note));
  }
  for (const report of git) await storeGitReport(engine, report, report.at);
  for (const annotation of annotations) await replayAnnotation(engine, annotation);
  for (const note of views) await engine.transaction((tx) => applyViewNote(tx, note));
  for (const note of budgets) await engine.transaction((tx) => applyBudgetNote(tx, note));
  for (const note of devices) await engine.transaction((tx) => applyDeviceNote(tx, note));
  await restoreReported(engine, events);
  return { captures: captures.length, damaged };
}

const MAX_RUN = 500;

/** Captures that follow each other are replayed in one transaction; one statement must not name a file twice. */
function* inRuns(
  records: readonly (TimedCapture | AcceptedEvents)[],
): Generator<AcceptedEvents | { readonly captures: readonly TimedCapture[] }> {
  let run = new Map<string, TimedCapture>();
  for (const record of records) {
    const isFull = 'capture' in record ? run.has(record.capture.id) || run.size === MAX_RUN : true;
    if (isFull && run.size > 0) {
      yield { captures: [...run.values()] };
      run = new Map();
    }
    if ('capture' in record) run.set(record.capture.id, record);
    else yield record;
  }
  if (run.size > 0) yield { captures: [...run.values()] };
}

/** Recreates sessions whose deletion was undone, from what the journal has about them. */
export async function replaySessions(
  engine: Engine,
  journal: ArchiveJournal,
  sessionIds: ReadonlySet<string>,
): Promise<void> {
  const { captures, events, notes, annotations, masks } = selectSessions(await readJournal(journal), (id) =>
    sessionIds.has(id),
  );
  for (const note of masks) await engine.transaction((tx) => applyMask(tx, note));
  await replayInOrder(engine, { captures: captures.filter(({ capture }) => capture.sessionId !== null), events });
  for (const note of notes) {
    if ('sessionId' in note) await engine.transaction((tx) => applyWorkspaceNote(tx, note));
  }
  for (const annotation of annotations) await replayAnnotation(engine, annotation);
  await restoreReported(engine, events);
}

type Selected = Pick<JournalContents, 'captures' | 'events' | 'notes' | 'annotations' | 'masks'>;

/** Records of these sessions, and records that belong to no session. */
function selectSessions(
  { captures, events, notes, annotations, masks }: JournalContents,
  isSelected: (sessionId: string) => boolean,
): Selected {
  return {
    captures: captures.filter(({ capture: { sessionId } }) => sessionId === null || isSelected(sessionId)),
    events: events.flatMap((taken) => {
      const some = taken.events.filter(({ session_id }) => isSelected(session_id));
      const workspaces = taken.workspaces.filter(({ sessionId }) => isSelected(sessionId));
      return some.length === 0 ? [] : [{ ...taken, events: some, workspaces }];
    }),
    notes: notes.filter((note) => !('sessionId' in note) || isSelected(note.sessionId)),
    annotations: annotations.filter(({ sessionId }) => isSelected(sessionId)),
    masks: masks.filter(({ sessionId }) => isSelected(sessionId)),
  };
}

/** A start event creates its session before the first capture does, so both are replayed in their original order. */
async function replayInOrder(
  engine: Engine,
  { captures, events }: Pick<Selected, 'captures' | 'events'>,
): Promise<void> {
  for (const taken of inRuns([...events, ...captures].toSorted(byTime))) {
    if ('captures' in taken) await replayCaptures(engine, taken.captures);
    else await replayEvents(engine, taken);
  }
}

async function restoreReported(engine: Engine, events: Selected['events']): Promise<void> {
  const last = events.at(-1);
  if (last !== undefined) await engine.transaction((tx) => restoreReportedSessions(tx, last.at));
}

/** Stores archived generations and creates their sessions, as their first captures did, unless these are deleted. */
export async function replayCaptures(engine: Engine, captures: readonly TimedCapture[]): Promise<void> {
  const devices = new Map(captures.toReversed().map(({ capture, at }) => [capture.deviceId, at]));
  for (const [deviceId, at] of devices) await ensureDevice(engine.kysely, deviceId, at);
  await engine.transaction(async (tx) => {
    const { sessions: deleted } = await loadDeleted(tx);
    let workspaceId: string | null = null;
    for (const { capture, at } of captures) {
      const { sessionId, kind, deviceId, mtimeMs } = capture;
      if (sessionId === null || !TRANSCRIPT_KINDS.has(kind) || deleted.has(sessionId)) continue;
      workspaceId ??= await saveWorkspace(tx, UNASSOCIATED, at);
      const seed = sessionSeed({ sessionId, mtimeMs }, { workspaceId, deviceId });
      await markBytesCaptured(tx, seed, { files: 1, lastWriteMs: mtimeMs }, at);
    }
    await saveCaptures(engine, tx, captures);
  });
}

/** A summary needs its session's row; without it the annotation stays in the journal only. */
async function replayAnnotation(engine: Engine, annotation: Annotation): Promise<void> {
  const { what, sessionId } = annotation;
  if (what === 'summarised' && (await loadSessionOwner(engine.kysely, sessionId)) === null) return;
  await engine.transaction((tx) => applyAnnotation(tx, annotation));
}

/** Every line of the journal is read by the first of these that recognises it. */
const READERS = {
  captures: readCaptureRecord,
  events: eventsFromJournal,
  notes: workspaceNoteFromJournal,
  git: gitFromJournal,
  devices: deviceNoteFromJournal,
  facts: deviceFromJournal,
  annotations: annotationFromJournal,
  views: viewNoteFromJournal,
  budgets: budgetFromJournal,
  deletions: deletionFromJournal,
  masks: maskFromJournal,
};

type Kind = keyof typeof READERS;
type Entries = { readonly [K in Kind]: readonly NonNullable<ReturnType<(typeof READERS)[K]>>[] };

interface JournalContents extends Entries {
  readonly damaged: readonly string[];
}

/**
 * Several processes write the journal, even in the same millisecond: order captures of a file by generation and size.
 */
async function readJournal(journal: ArchiveJournal): Promise<JournalContents> {
  const damaged: string[] = [];
  const entries = Object.keys(READERS).map((kind) => ({ kind: kind as Kind, found: [] as { readonly at: string }[] }));
  for await (const record of journal.read((position) => damaged.push(position))) {
    for (const { kind, found } of entries) {
      const entry = READERS[kind](record);
      if (entry === null) continue;
      found.push(entry);
      break;
    }
  }
  const contents = Object.fromEntries(entries.map(({ kind, found }) => [kind, found.toSorted(byTime)]));
  const { captures, git, ...others } = contents as unknown as Entries;
  return {
    ...others,
    captures: captures.toSorted(
      (a, b) =>
        byTime(a, b) || a.capture.generation - b.capture.generation || a.capture.sizeBytes - b.capture.sizeBytes,
    ),
    git: git.toSorted((a, b) => a.order - b.order),
    damaged,
  };
}

function byTime(a: { readonly at: string }, b: { readonly at: string }): number {
  return a.at < b.at ? -1 : a.at > b.at ? 1 : 0;
}
