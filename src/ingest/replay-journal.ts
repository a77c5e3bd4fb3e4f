import { BACKFILL } from '../domain/session.ts';
import { type Annotation, annotationFromJournal } from '../domain/annotation.ts';
import type { ArchiveJournal } from '../domain/ports.ts';
import { type DeviceNote, deviceNoteFromJournal, fromJournal, type WorkspaceNote } from '../domain/workspace-note.ts';
import type { Engine } from '../store/engine.ts';
import { applyAnnotation } from '../store/queries/annotations.ts';
import { saveCapture } from '../store/queries/archive.ts';
import { applyDeviceNote, ensureDevice } from '../store/queries/device-decisions.ts';
import { markBytesCaptured } from '../store/queries/session-state.ts';
import { applyWorkspaceNote } from '../store/queries/workspace-decisions.ts';
import { saveWorkspace } from '../store/queries/workspaces.ts';
import { readCaptureRecord } from './capture-record.ts';
import { gitFromJournal, keepGit, type ToldOnce } from './take-git.ts';

export interface ReplayOptions {
  readonly engine: Engine;
  readonly journal: ArchiveJournal;
  /** The workspace of a session until its lines tell. */
  readonly workspace: { readonly canonicalId: string; readonly displayName: string };
  readonly transcriptKinds: ReadonlySet<string>;
}

/** Tells the store again what the journal remembers. What it knows already stays as it is. */
export async function replayJournal(options: ReplayOptions): Promise<{ readonly captures: number }> {
  const { engine, journal, workspace, transcriptKinds } = options;
  const devices = new Set<string>();
  const { captures, notes, git, annotations, devices: devicesDecided } = await readInOrder(journal);
  for (const { capture, at } of captures) {
    if (!devices.has(capture.deviceId)) await ensureDevice(engine.kysely, capture.deviceId, at);
    devices.add(capture.deviceId);
    await engine.transaction(async (tx) => {
      if (capture.sessionId !== null && transcriptKinds.has(capture.kind)) {
        const workspaceId = await saveWorkspace(tx, workspace, at);
        const startedAt = new Date(capture.mtimeMs).toISOString();
        const { sessionId: id, deviceId } = capture;
        await markBytesCaptured(tx, { id, workspaceId, deviceId, startedAt, source: BACKFILL }, at);
      }
      await saveCapture(engine, tx, capture, at);
    });
  }
  for (const note of notes) {
    if ('deviceId' in note && !devices.has(note.deviceId)) await ensureDevice(engine.kysely, note.deviceId, note.at);
    await engine.transaction((tx) => applyWorkspaceNote(tx, note));
  }
  for (const told of git) await keepGit(engine, told, told.at);
  for (const annotation of annotations) await engine.transaction((tx) => applyAnnotation(tx, annotation));
  for (const note of devicesDecided) await engine.transaction((tx) => applyDeviceNote(tx, note));
  return { captures: captures.length };
}

type Known = NonNullable<ReturnType<typeof readCaptureRecord>>;

interface Remembered {
  readonly captures: readonly Known[];
  readonly notes: readonly WorkspaceNote[];
  readonly git: readonly ToldOnce[];
  readonly annotations: readonly Annotation[];
  readonly devices: readonly DeviceNote[];
}

/** Several processes write a journal, and two of them in the same millisecond: a file only ever grows or starts anew. */
async function readInOrder(journal: ArchiveJournal): Promise<Remembered> {
  const captures: Known[] = [];
  const notes: WorkspaceNote[] = [];
  const git: ToldOnce[] = [];
  const annotations: Annotation[] = [];
  const devices: DeviceNote[] = [];
  for await (const record of journal.read()) {
    const isTaken =
      take(captures, readCaptureRecord(record)) ||
      take(notes, fromJournal(record)) ||
      take(devices, deviceNoteFromJournal(record)) ||
      take(git, gitFromJournal(record));
    if (!isTaken) take(annotations, annotationFromJournal(record));
  }
  const inOrder = captures.toSorted(
    (a, b) => byTime(a, b) || a.capture.generation - b.capture.generation || a.capture.sizeBytes - b.capture.sizeBytes,
  );
  return {
    captures: inOrder,
    notes: notes.toSorted(byTime),
    git: git.toSorted((a, b) => a.order - b.order),
    annotations: annotations.toSorted(byTime),
    devices: devices.toSorted(byTime),
  };
}

function take<T>(list: T[], found: T | null): boolean {
  if (found !== null) list.push(found);
  return found !== null;
}

function byTime(a: { readonly at: string }, b: { readonly at: string }): number {
  return a.at < b.at ? -1 : a.at > b.at ? 1 : 0;
}
