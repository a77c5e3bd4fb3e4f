import { type GitBatch, type GitItem, gitBatchSchema, gitItemSchema } from '../../api/ingest.ts';
import type { Event } from '../../domain/event.ts';
import { journalFields, toJournal } from '../../domain/journal-note.ts';
import { isJsonObject } from '../../domain/json.ts';
import type { ArchiveJournal } from '../../domain/ports.ts';
import type { JsonObject, JsonValue } from '../../domain/transcript.ts';
import type { SeenFolder, WorkspaceIdentity } from '../../domain/workspace.ts';
import { workspaceNoteFromJournal } from '../../domain/workspace-note.ts';
import type { Engine, Tx } from '../../store/engine.ts';
import { findDeleted } from '../../store/queries/deletions/deletions.ts';
import { ensureDevice } from '../../store/queries/devices/device-decisions.ts';
import { loadSessionOwner, saveDevice } from '../../store/queries/devices/devices.ts';
import { findStoredEvents, insertEvents } from '../../store/queries/events/events.ts';
import { storeReportedGit } from '../../store/queries/git/git-activity.ts';
import type { NamedRepository } from '../../store/queries/git/save-git.ts';
import type { ReportedWorkspaces } from '../../store/queries/sessions/session-reports.ts';
import { saveSeen } from '../../store/queries/workspaces/workspaces.ts';

/** Kinds of records; journals of all versions contain these names. */
const EVENTS = 'events_taken';
const GIT = 'git_told';

/** The workspace of a session that was first reported by a hook, as its machine saw it then. */
export interface ReportedWorkspace {
  readonly sessionId: string;
  readonly deviceId: string;
  readonly workspace: WorkspaceIdentity;
  readonly folder: SeenFolder | null;
}

/** Hook events that were accepted together. No transcript contains them, so the journal keeps them. */
export interface AcceptedEvents {
  readonly at: string;
  readonly events: readonly Event[];
  readonly workspaces: readonly ReportedWorkspace[];
}

/** Accepted events as one line of the journal. */
export function eventsRecord({ at, events, workspaces }: AcceptedEvents): JsonObject {
  return {
    ...toJournal({ at, what: EVENTS }),
    events: events.map(toRecord),
    places: workspaces.map(({ sessionId, deviceId, workspace: { canonicalId, displayName }, folder }) => {
      return { sessionId, deviceId, workspace: { canonicalId, displayName }, folder: folder && { ...folder } };
    }),
  };
}

function toRecord({ id, type, timestamp, device_id, session_id, workspace, data }: Event): JsonObject {
  return { id, type, timestamp, device_id, session_id, ...(workspace && { workspace: { ...workspace } }), data };
}

/** The events in a line of the journal; null for a line of another kind. */
export function eventsFromJournal(record: JsonObject): AcceptedEvents | null {
  const { at, what, events, places } = journalFields(record);
  if (what !== EVENTS || typeof at !== 'string' || !Array.isArray(events)) return null;
  return {
    at,
    events: events.flatMap(readEvent),
    workspaces: Array.isArray(places) ? places.flatMap((value) => readWorkspace(at, value)) : [],
  };
}

function readEvent(value: JsonValue): readonly Event[] {
  if (!isJsonObject(value)) return [];
  const { id, type, timestamp, device_id, session_id, workspace, data } = value;
  if (typeof id !== 'string' || typeof type !== 'string' || typeof timestamp !== 'string') return [];
  if (typeof device_id !== 'string' || typeof session_id !== 'string' || !isJsonObject(data)) return [];
  return [{ id, type, timestamp, device_id, session_id, data, ...readEventWorkspace(workspace) }];
}

function readEventWorkspace(value: JsonValue | undefined): Pick<Event, 'workspace'> {
  if (!isJsonObject(value)) return {};
  const { canonical_id, display_name } = value;
  if (typeof canonical_id !== 'string' || typeof display_name !== 'string') return {};
  return { workspace: { canonical_id, display_name } };
}

/** A workspace has the fields of the record that a parsed session leaves. */
function readWorkspace(at: string, value: JsonValue): readonly ReportedWorkspace[] {
  const note = isJsonObject(value)
    ? workspaceNoteFromJournal({ ...value, ...toJournal({ at, what: 'session_seen' }) })
    : null;
  return note?.what === 'session_seen' ? [note] : [];
}

/** Git activity that a device reported. */
interface GitReport extends GitBatch {
  readonly items: GitItem[];
}

export interface JournaledGit extends GitReport {
  readonly at: string;
}

/** A git report as one line of the journal. */
export function gitRecord(report: GitReport, at: string): JsonObject {
  return { ...toJournal({ at, what: GIT }), ...(report as unknown as JsonObject) };
}

/** The git report in a line of the journal; null for a line of another kind. */
export function gitFromJournal(record: JsonObject): JournaledGit | null {
  const { format: _format, at, what, ...rest } = journalFields(record);
  if (what !== GIT || typeof at !== 'string') return null;
  const batch = gitBatchSchema.safeParse(rest);
  if (!batch.success) return null;
  const items = batch.data.items.flatMap((item) => gitItemSchema.safeParse(item).data ?? []);
  return { ...batch.data, items, at };
}

type ActivityItem = Extract<GitItem, { kind: 'activity' }>;

/** Stores a git report. The outcome is `late` when a newer report of the same device is already stored. */
export async function storeGitReport(engine: Engine, { device, order, items }: GitReport, now: string) {
  await saveDevice(engine.kysely, device, now, 'remote');
  const activities = items.filter((item) => item.kind === 'activity');
  const folders = items.filter((item) => item.kind === 'folders');
  const kept = await storeReportedGit(
    engine,
    { deviceId: device.id, order, repositories: toRepositories(activities), sessions: folders.map(toSession) },
    now,
  );
  return { kept, activities, folders };
}

function toSession({ id, folders }: Extract<GitItem, { kind: 'folders' }>) {
  return {
    sessionId: id,
    folders: folders.map(({ folder, workspace }) => ({ folder, workspace: identityOf(workspace) })),
  };
}

function toRepositories(items: readonly ActivityItem[]): readonly NamedRepository[] {
  const byWorkspace = Map.groupBy(items, ({ workspace }) => workspace.canonical_id);
  return [...byWorkspace.values()].flatMap((group) => {
    const [first] = group;
    return first === undefined ? [] : [{ workspace: identityOf(first.workspace), activities: group.map(toActivity) }];
  });
}

function toActivity(item: ActivityItem) {
  return {
    id: item.id,
    kind: item.type,
    at: item.timestamp,
    sha: item.commit_sha,
    branch: item.branch,
    message: item.message,
    filesChanged: item.files_changed,
    insertions: item.insertions,
    deletions: item.deletions,
    folder: item.folder,
    worktreeName: item.worktree_name,
    sequence: item.sequence ?? 0,
    data: item.data as JsonObject,
  };
}

function identityOf({ canonical_id, display_name }: ActivityItem['workspace']) {
  return { canonicalId: canonical_id, displayName: display_name };
}

/** Stores events from the journal; leaves existing events unchanged. */
export async function replayEvents(engine: Engine, { at, events, workspaces }: AcceptedEvents): Promise<void> {
  for (const id of new Set(events.map(({ device_id }) => device_id))) await ensureDevice(engine.kysely, id, at);
  await engine.transaction(async (tx) => {
    await insertEvents(tx, events, at, await saveReportedWorkspaces(tx, workspaces, at));
  });
}

/** Saves the workspaces of sessions that do not exist yet; an existing session has its own. */
export async function saveReportedWorkspaces(
  tx: Tx,
  workspaces: AcceptedEvents['workspaces'],
  now: string,
): Promise<ReportedWorkspaces> {
  const saved = new Map<string, string>();
  for (const { sessionId, ...seen } of workspaces) {
    if ((await loadSessionOwner(tx, sessionId)) === null) saved.set(sessionId, await saveSeen(tx, seen, now));
  }
  return saved;
}

/**
 * Writes new events to the journal before they are stored: the database must never hold more than can be rebuilt. A
 * crash between the two repeats a line, which is harmless because replays deduplicate by event id.
 */
export async function journalEvents(
  { engine, journal }: { readonly engine: Engine; readonly journal: ArchiveJournal },
  { at, events, workspaces }: AcceptedEvents,
): Promise<void> {
  const ids = events.map(({ id }) => id);
  const stored = await findStoredEvents(engine.kysely, ids);
  const deleted = await findDeleted(
    engine.kysely,
    events.map(({ session_id }) => session_id),
  );
  const fresh = events.filter(({ id, session_id }) => !stored.has(id) && !deleted.has(session_id));
  if (fresh.length === 0) return;
  const seen = workspaces.filter(({ sessionId }) => !deleted.has(sessionId));
  await journal.append(eventsRecord({ at, events: fresh, workspaces: seen }));
  await journal.flush();
}
