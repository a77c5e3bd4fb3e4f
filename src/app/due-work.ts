import { type ArchiveDeps, type Changes, SETTLED_MS } from '../archive/find-changes.ts';
import { readLogStamp } from '../capture/git/reflog.ts';
import { findRepository } from '../capture/git/repository.ts';
import { findSessionProcesses } from '../capture/live-sessions.ts';
import type { Config } from '../config.ts';
import { lastActiveMs, QUIET_MS } from '../domain/session.ts';
import type { LiveSigns } from '../pipeline/understand-session.ts';
import type { Engine } from '../store/engine.ts';
import { loadDeviceFiles } from '../store/queries/archive/archive.ts';
import { countDue } from '../store/queries/claims/claims.ts';
import { listPurgeTimes } from '../store/queries/deletions/deletions.ts';
import { listGitNotes, listRepositoryRoots, listScans } from '../store/queries/git/repository-scans.ts';
import { findUnsettledFamily } from '../store/queries/lineage/settle-families.ts';
import { findUnsettledSessions } from '../store/queries/sessions/session-reports.ts';
import { PARSER_VERSION } from '../transcript/parser-version.ts';

/**
 * Whether an import of rows has nothing to do. Checked before the transcript reader is loaded, because usually nothing
 * has changed.
 */
export async function isUpToDate(
  { engine, device, priceBook }: ArchiveDeps & { readonly priceBook: string | undefined },
  { changed, gone }: Changes,
  notesSince: string,
): Promise<boolean> {
  if (changed.length > 0 || gone.length > 0) return false;
  const versions = { parserVersion: PARSER_VERSION, priceBook };
  if ((await countDue(engine, 'parse', versions)) > 0 || (await countDue(engine, 'correlate')) > 0) return false;
  if ((await findUnsettledFamily(engine.kysely)) !== null) return false;
  if ((await findUnsettledSessions(engine.kysely)).length > 0) return false;
  if (await hasNewActivity(engine, device.id)) return false;
  return (await listGitNotes(engine.kysely, { deviceId: device.id, since: notesSince })).length === 0;
}

/**
 * Whether the logs of a known repository have changed since they were last read. A repository that was never read counts
 * as changed: the import that should have read it was interrupted.
 */
export async function hasNewActivity({ kysely }: Engine, deviceId: string): Promise<boolean> {
  const stamps = new Map((await listScans(kysely, deviceId)).map(({ commonDir, stamp }) => [commonDir, stamp]));
  const roots = await listRepositoryRoots(kysely, deviceId);
  const known = new Set([...stamps.keys(), ...roots.flatMap((root) => findRepository(root)?.commonDir ?? [])]);
  return [...known].some((commonDir) => {
    const now = readLogStamp(commonDir);
    return now !== null && now !== stamps.get(commonDir);
  });
}

interface DueDeps {
  readonly engine: Engine;
  readonly device: { readonly id: string };
}

/** When work becomes due without any change: idle sessions to end, files to compare, deleted sessions to remove. */
export async function dueTimes({ engine, device }: DueDeps, config: Config): Promise<readonly number[]> {
  const { live, dead } = findSessionProcesses(config);
  const unsettled = (await findUnsettledSessions(engine.kysely)).filter(({ id }) => !live.has(id));
  const files = await loadDeviceFiles(engine.kysely, device.id);
  return [
    ...unsettled.map((session) => lastActiveMs(session) + (dead.has(session.id) ? DEAD_QUIET_MS : QUIET_MS) + 1),
    ...(await listPurgeTimes(engine.kysely)),
    ...files.filter(({ state }) => state === 'archived').map(({ seenMtimeMs }) => seenMtimeMs + SETTLED_MS),
  ];
}

/** Instead of QUIET_MS, if the process of a session is gone: its last write may be slightly later than its end. */
const DEAD_QUIET_MS = 2_000;

/** Distinguishes running sessions from ended ones. */
export function liveSignsOf(config: Config, now: Date): LiveSigns {
  const { live, dead } = findSessionProcesses(config);
  return {
    sessions: live,
    quietSinceMs: (id) => now.getTime() - (dead.has(id) ? DEAD_QUIET_MS : QUIET_MS),
  };
}
