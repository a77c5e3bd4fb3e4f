import { SETTLED_MS } from '../archive/find-changes.ts';
import { findSessionProcesses } from '../capture/live-sessions.ts';
import type { Config } from '../config.ts';
import type { LiveSigns } from '../pipeline/understand-session.ts';
import type { Engine } from '../store/engine.ts';
import { loadDeviceFiles } from '../store/queries/archive/archive.ts';
import { findUnsettledSessions } from '../store/queries/sessions/session-life.ts';

interface DueDeps {
  readonly engine: Engine;
  readonly device: { readonly id: string };
}

/** When something will be due without any change: sessions that fall quiet, files to be compared. */
export async function dueTimes({ engine, device }: DueDeps, config: Config): Promise<readonly number[]> {
  const { live, dead } = findSessionProcesses(config);
  const unsettled = (await findUnsettledSessions(engine.kysely)).filter(({ id }) => !live.has(id));
  const files = await loadDeviceFiles(engine.kysely, device.id);
  return [
    ...unsettled.map(({ id, lastWriteMs }) => lastWriteMs + (dead.has(id) ? DEAD_QUIET_MS : QUIET_MS) + 1),
    ...files.filter(({ state }) => state === 'archived').map(({ seenMtimeMs }) => seenMtimeMs + SETTLED_MS),
  ];
}

/** A session whose files were written to within this time counts as live. */
const QUIET_MS = 5 * 60_000;
/** The same when its process is gone: what it wrote last may be a moment younger than its end. */
const DEAD_QUIET_MS = 2_000;

/** Evidence that separates running sessions from ended ones. */
export function liveSignsOf(config: Config, now: Date): LiveSigns {
  const { live, dead } = findSessionProcesses(config);
  return {
    sessions: live,
    quietSinceMs: (id) => now.getTime() - (dead.has(id) ? DEAD_QUIET_MS : QUIET_MS),
  };
}
