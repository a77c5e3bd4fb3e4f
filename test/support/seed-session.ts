import { claimNext } from '../../src/store/queries/claims/claims.ts';
import { saveDevice } from '../../src/store/queries/devices/devices.ts';
import { markBytesCaptured } from '../../src/store/queries/sessions/session-state.ts';
import {
  beginRevisions,
  nextRevision,
  type Revision,
  readParseState,
} from '../../src/store/queries/transcript/save-revision.ts';
import { saveWorkspace } from '../../src/store/queries/workspaces/workspaces.ts';
import type { Store } from '../../src/store/store.ts';

export const NOW = '2026-11-15T12:00:00.000Z';

/** A session row in the state it has after its first bytes were archived. */
export async function seedSession({ engine }: Store, id: string, startedAt = NOW): Promise<void> {
  const device = { id: 'device-1', name: 'laptop', hostname: 'laptop', os: 'linux', arch: 'x64' };
  await saveDevice(engine.kysely, device, NOW);
  const workspaceId = await saveWorkspace(engine.kysely, { canonicalId: 'folder:/w', displayName: 'w' }, NOW);
  const seed = { id, workspaceId, deviceId: device.id, startedAt, source: 'backfill' };
  await markBytesCaptured(engine.kysely, seed, { files: 1, lastWriteMs: Date.parse(NOW) }, NOW);
}

/** The next revision of a seeded session, claimed like a worker would. */
export async function seedRevision(
  { engine }: Store,
  sessionId: string,
  fileIds: readonly string[],
): Promise<Revision> {
  await engine.kysely.updateTable('sessions').set({ claim_expires_at_ms: 0 }).where('id', '=', sessionId).execute();
  const claim = await claimNext(engine, 'parse', { holder: 'a test', parserVersion: 1, sessionIds: [sessionId] });
  if (claim === null) throw new Error(`session ${sessionId} cannot be claimed`);
  const { revision: current } = await readParseState(engine.kysely, sessionId);
  const revision = nextRevision(claim, { revision: current, capturedVersion: 1 }, fileIds);
  await engine.transaction((tx) => beginRevisions(engine, tx, [revision]));
  return revision;
}
