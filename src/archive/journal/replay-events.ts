import type { Engine, Tx } from '../../store/engine.ts';
import { ensureDevice } from '../../store/queries/devices/device-decisions.ts';
import { loadSessionOwner } from '../../store/queries/devices/devices.ts';
import { insertEvents } from '../../store/queries/events/events.ts';
import type { ReportedWorkspaces } from '../../store/queries/sessions/session-reports.ts';
import { saveSeen } from '../../store/queries/workspaces/workspaces.ts';
import type { AcceptedEvents } from './event-record.ts';

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
