import { type Event, type Rejection, type SpoolEntry, type SpoolReader, TEST_EVENT_NAME } from '../../domain/event.ts';
import type { Clock } from '../../domain/ports.ts';
import type { ResolvedWorkspace } from '../../domain/workspace.ts';
import type { Engine, Tx } from '../../store/engine.ts';
import { type Device, loadSessionOwner, saveDevice } from '../../store/queries/devices.ts';
import { insertEvents, linkEvents } from '../../store/queries/events.ts';
import type { ReportedPlaces } from '../../store/queries/reported-sessions.ts';
import { saveSeen } from '../../store/queries/workspaces.ts';
import { toEvent } from './to-event.ts';

const BATCH_ENTRIES = 100;
/** How long a payload of `fuel-code hooks test` is left to the test that waits for it. */
const TEST_PATIENCE_MS = 60_000;

export interface DrainDeps {
  readonly spool: SpoolReader;
  readonly engine: Engine;
  readonly device: Device;
  readonly clock: Clock;
  /** J14: whether a project folder is left out; nothing of its sessions is stored. */
  readonly ignoresProject?: (folderName: string) => boolean;
  /** The workspace of a folder of this machine; without it a new session has none until it is parsed. */
  readonly resolveWorkspace?: (cwd: string) => Promise<ResolvedWorkspace>;
  /** Called with the transcript that an event names, before the entry leaves the spool. */
  readonly onTranscript?: (path: string) => void;
}

export interface DrainReport {
  readonly accepted: number;
  /** Entries whose event was stored already: somebody died, or was faster. */
  readonly duplicates: number;
  readonly rejected: number;
  /** Entries of projects that are left out; they are gone. */
  readonly ignored: number;
  /** Entries that could not be read now, and stay. */
  readonly left: number;
}

/**
 * Turns what waits in the spool into events. An entry goes only after its event is stored, and the event's id follows
 * from the entry: so any number of drainers may run at once and die anywhere, and every event is stored once.
 * When the store refuses, the error is thrown and everything that is not stored waits on.
 */
export async function drainSpool(deps: DrainDeps): Promise<DrainReport> {
  const report = { accepted: 0, duplicates: 0, rejected: 0, ignored: 0, left: 0 };
  const entries = deps.spool.entries();
  const now = deps.clock.now().toISOString();
  if (entries.length > 0) await saveDevice(deps.engine.kysely, deps.device, now);
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
    const result = judge(spool, entry, device.id);
    if (result === 'gone') continue;
    if (result === 'unreadable' || isFreshTest(result, entry, deps.clock)) report.left++;
    else if ('reason' in result) {
      spool.reject(entry, result);
      report.rejected++;
    } else taken.push({ entry, event: result });
  }
  const real = taken.map(({ event }) => event).filter(isReal);
  const events = real.filter((event) => !isIgnored(event, deps));
  const resolved = await resolvePlaces(deps, events);
  const inserted = await engine.transaction(async (tx) => {
    const places = await savePlaces(tx, device.id, resolved, now);
    return insertEvents(tx, events, now, places);
  });
  for (const path of transcriptsOf(events)) deps.onTranscript?.(path);
  for (const { entry } of taken) spool.done(entry);
  report.accepted += inserted;
  report.duplicates += events.length - inserted;
  report.ignored += real.length - events.length;
}

/** Only of starts: all other events belong to a session that has its place. */
async function resolvePlaces(
  { engine, resolveWorkspace }: DrainDeps,
  events: readonly Event[],
): Promise<ReadonlyMap<string, ResolvedWorkspace>> {
  const found = new Map<string, ResolvedWorkspace>();
  for (const { type, session_id, data } of events) {
    if (type !== 'session.start' || typeof data.cwd !== 'string' || resolveWorkspace === undefined) continue;
    if ((await loadSessionOwner(engine.kysely, session_id)) === null) {
      found.set(session_id, await resolveWorkspace(data.cwd));
    }
  }
  return found;
}

async function savePlaces(
  tx: Tx,
  deviceId: string,
  resolved: ReadonlyMap<string, ResolvedWorkspace>,
  now: string,
): Promise<ReportedPlaces> {
  const places = new Map<string, string>();
  for (const [sessionId, workspace] of resolved) {
    places.set(sessionId, await saveSeen(tx, { deviceId, workspace, folder: workspace.folder }, now));
  }
  return places;
}

function judge(spool: SpoolReader, entry: SpoolEntry, deviceId: string): Event | Rejection | 'gone' | 'unreadable' {
  let payload: Uint8Array | null;
  try {
    payload = spool.read(entry);
  } catch {
    // One entry that the disk does not give must not hold up the others; it is counted as left.
    return 'unreadable';
  }
  return payload === null ? 'gone' : toEvent(entry, payload, deviceId);
}

function isReal({ type }: Event): boolean {
  return type !== `hook.${TEST_EVENT_NAME}`;
}

function isFreshTest(result: Event | Rejection, { atMs }: SpoolEntry, clock: Clock): boolean {
  return 'type' in result && !isReal(result) && clock.now().getTime() - atMs < TEST_PATIENCE_MS;
}

function transcriptsOf(events: readonly Event[]): ReadonlySet<string> {
  const paths = events.map(({ data: { transcript_path } }) => transcript_path);
  return new Set(paths.filter((path) => typeof path === 'string'));
}

/** The transcript's path tells the project, as it does for the scan. */
function isIgnored({ data: { transcript_path } }: Event, { ignoresProject = () => false }: DrainDeps): boolean {
  const folder = typeof transcript_path === 'string' ? transcript_path.split(/[/\\]/).at(-2) : undefined;
  return folder !== undefined && ignoresProject(folder);
}
