import { journalEvents, type ReportedWorkspace, saveReportedWorkspaces } from '../../archive/journal/records.ts';
import {
  type Event,
  isScriptType,
  type Rejection,
  type SpoolEntry,
  type SpoolReader,
  TEST_EVENT_NAME,
} from '../../domain/event.ts';
import type { ArchiveJournal, Clock } from '../../domain/ports.ts';
import type { ResolvedWorkspace } from '../../domain/workspace.ts';
import type { Engine } from '../../store/engine.ts';
import { findDeleted } from '../../store/queries/deletions/deletions.ts';
import { type Device, loadSessionOwner } from '../../store/queries/devices/devices.ts';
import { insertEvents, linkEvents } from '../../store/queries/events/events.ts';
import { recordDevice } from '../device.ts';
import type { IngestMasks } from '../intake.ts';
import { toEvent } from './to-event.ts';

const BATCH_ENTRIES = 100;
/** How long a `fuel-code hooks test` payload is left for the test that waits for it. */
const TEST_ENTRY_TTL_MS = 60_000;

interface DrainDeps {
  readonly spool: SpoolReader;
  readonly engine: Engine;
  readonly journal: ArchiveJournal;
  readonly device: Device;
  readonly clock: Clock;
  /** J14: returns true for an ignored project folder; nothing of its sessions is stored. */
  readonly ignoresProject?: (folderName: string) => boolean;
  /** Resolves a folder of this machine; without it a new session has no workspace until it is parsed. */
  readonly resolveWorkspace?: (cwd: string) => Promise<ResolvedWorkspace>;
  readonly masks?: IngestMasks;
  /** Called with the transcript path of an event, before its entry leaves the spool. */
  readonly onTranscript?: (path: string) => void;
}

export interface DrainReport {
  readonly accepted: number;
  /** Entries whose event was already stored, by another process or before a crash. */
  readonly duplicates: number;
  readonly rejected: number;
  /** Entries of ignored projects and deleted sessions, which were removed. */
  readonly ignored: number;
  /** Entries that could not be read and stay in the spool. */
  readonly left: number;
}

/**
 * Turns spool entries into events. An entry is removed only after its event is in the journal and in the store, and the
 * event id is derived from the entry: several drainers may run at once and crash anywhere, and every event is stored
 * once. A store error is thrown, and everything not stored yet stays in the spool.
 */
export async function drainSpool(deps: DrainDeps): Promise<DrainReport> {
  const report = { accepted: 0, duplicates: 0, rejected: 0, ignored: 0, left: 0 };
  const entries = deps.spool.entries();
  const now = deps.clock.now().toISOString();
  if (entries.length > 0) await recordDevice(deps, deps.device, now);
  for (let at = 0; at < entries.length; at += BATCH_ENTRIES) {
    await drainBatch(deps, entries.slice(at, at + BATCH_ENTRIES), now, report);
  }
  if (report.accepted > 0) await linkEvents(deps.engine.kysely);
  return report;
}

type Tally = { -readonly [K in keyof DrainReport]: DrainReport[K] };

async function drainBatch(deps: DrainDeps, batch: readonly SpoolEntry[], now: string, report: Tally): Promise<void> {
  const { spool, engine, device } = deps;
  const taken: { readonly entry: SpoolEntry; readonly event: Event }[] = [];
  for (const entry of batch) {
    const result = parseEntry(spool, entry, device.id);
    if (result === 'gone') continue;
    if (result === 'unreadable' || isFreshTest(result, entry, deps.clock)) report.left++;
    else if ('reason' in result) {
      spool.reject(entry, result);
      report.rejected++;
    } else taken.push({ entry, event: result });
  }
  const real = taken.map(({ event }) => event).filter(isReal);
  const deleted = await findDeleted(
    engine.kysely,
    real.map(({ session_id }) => session_id),
  );
  const wanted = real.filter((event) => !isIgnored(event, deps) && !deleted.has(event.session_id));
  const events = (await deps.masks?.events(wanted)) ?? wanted;
  const workspaces = await resolveWorkspaces(deps, events);
  await journalEvents(deps, { at: now, events, workspaces });
  const inserted = await engine.transaction(async (tx) =>
    insertEvents(tx, events, now, await saveReportedWorkspaces(tx, workspaces, now)),
  );
  for (const path of transcriptsOf(events)) deps.onTranscript?.(path);
  for (const { entry } of taken) spool.done(entry);
  report.accepted += inserted;
  report.duplicates += events.length - inserted;
  report.ignored += real.length - events.length;
}

/** Only start events need a workspace: other events belong to a session that has one. */
async function resolveWorkspaces(
  { engine, device, resolveWorkspace }: DrainDeps,
  events: readonly Event[],
): Promise<readonly ReportedWorkspace[]> {
  const found = new Map<string, ReportedWorkspace>();
  for (const { type, session_id: sessionId, data } of events) {
    if (type !== 'session.start' || typeof data.cwd !== 'string' || resolveWorkspace === undefined) continue;
    if ((await loadSessionOwner(engine.kysely, sessionId)) !== null) continue;
    const workspace = await resolveWorkspace(data.cwd);
    found.set(sessionId, { sessionId, deviceId: device.id, workspace, folder: workspace.folder });
  }
  return [...found.values()];
}

function parseEntry(
  spool: SpoolReader,
  entry: SpoolEntry,
  deviceId: string,
): Event | Rejection | 'gone' | 'unreadable' {
  let payload: Uint8Array | null;
  try {
    payload = spool.read(entry);
  } catch {
    // One unreadable entry must not block the others; it is counted as left.
    return 'unreadable';
  }
  return payload === null ? 'gone' : toEvent(entry, payload, deviceId);
}

function isReal({ type }: Event): boolean {
  return type !== `hook.${TEST_EVENT_NAME}`;
}

function isFreshTest(result: Event | Rejection, { atMs }: SpoolEntry, clock: Clock): boolean {
  return 'type' in result && !isReal(result) && clock.now().getTime() - atMs < TEST_ENTRY_TTL_MS;
}

function transcriptsOf(events: readonly Event[]): ReadonlySet<string> {
  const paths = events
    .filter(({ type }) => !isScriptType(type))
    .map(({ data: { transcript_path } }) => transcript_path);
  return new Set(paths.filter((path) => typeof path === 'string'));
}

/** Derives the project from the transcript's path, as the scan does. */
function isIgnored({ type, data: { transcript_path } }: Event, { ignoresProject = () => false }: DrainDeps): boolean {
  if (isScriptType(type)) return false;
  const folder = typeof transcript_path === 'string' ? transcript_path.split(/[/\\]/).at(-2) : undefined;
  return folder !== undefined && ignoresProject(folder);
}
