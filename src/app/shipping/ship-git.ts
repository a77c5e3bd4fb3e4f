import { MAX_GIT_ITEMS, type GitItem as WireItem } from '../../api/ingest.ts';
import type { WorkspaceIdentity } from '../../domain/workspace.ts';
import { findGitToShip, type GitItem, markGitShipped } from '../../store/queries/shipping/git-shipments.ts';
import { endPause, loadPause, savePause } from '../../store/queries/shipping/shipping.ts';
import { MAX_WAIT_MS } from './backoff.ts';
import { gitDoor } from './git-door.ts';
import { shipBatches } from './ship-batches.ts';
import type { Halt, ShipDeps, Tally } from './ship.ts';

/**
 * Tells the server what this device read in its repositories. A server that is too old for it is asked again now and
 * then; nothing else waits for that.
 */
export async function shipGit(deps: ShipDeps, tally: Tally): Promise<Halt | null> {
  const { engine, clock, server } = deps;
  const door = gitDoor(server.url);
  const pause = await loadPause(engine.kysely, door);
  const nowMs = clock.now().getTime();
  if (pause !== null && nowMs < pause.nextTryMs) return null;
  const halt = await shipAllGit(deps, tally);
  if (halt?.kind === 'busy' && halt.isUnknownRoute) {
    const since = { failures: (pause?.failures ?? 0) + 1, nextTryMs: nowMs + MAX_WAIT_MS, refusedTokenSha256: null };
    await savePause(engine.kysely, door, { ...since, reason: TOO_OLD }, clock.now().toISOString());
    return null;
  }
  if (halt === null && pause !== null) await endPause(engine.kysely, door);
  return halt;
}

const TOO_OLD = 'The server does not accept git activity; update it to the version of this device.';

const ANOTHER_ONE = {
  kind: 'busy',
  reason: 'Another machine is sending with the id of this device.',
  waitMs: 0,
} as const;

function shipAllGit({ engine, client, clock, server, device, signal }: ShipDeps, tally: Tally): Promise<Halt | null> {
  const route = { server: server.url, deviceId: device.id };
  let order = clock.now().getTime();
  const next = () => ++order;
  const outbox = {
    find: (limit: number) => findGitToShip(engine, route, limit),
    send: async (batch: readonly GitItem[]) => {
      const items = batch.map(toWire);
      const reply = await client.sendGit({ device, order: next(), items });
      if (reply.kind !== 'gap') return reply;
      // Our clock was set back since.
      order = reply.at;
      const second = await client.sendGit({ device, order: next(), items });
      return second.kind === 'gap' ? ANOTHER_ONE : second;
    },
    settle: async (item: GitItem, refusal: string | null) => {
      await markGitShipped(engine.kysely, server.url, item, refusal, clock.now().toISOString());
      if (refusal === null) tally.git++;
      else tally.refused++;
    },
  };
  return shipBatches(outbox, { limit: MAX_GIT_ITEMS, signal });
}

function toWire(item: GitItem): WireItem {
  if (item.kind === 'folders') {
    const folders = item.folders.map(({ folder, workspace }) => ({ folder, workspace: identityOf(workspace) }));
    return { kind: 'folders', id: item.id, folders };
  }
  const { activity, workspace } = item;
  return {
    kind: 'activity',
    id: activity.id,
    type: activity.kind,
    timestamp: activity.at,
    workspace: identityOf(workspace),
    commit_sha: activity.sha,
    branch: activity.branch,
    message: activity.message,
    files_changed: activity.filesChanged,
    insertions: activity.insertions,
    deletions: activity.deletions,
    folder: activity.folder,
    worktree_name: activity.worktreeName,
    sequence: activity.sequence,
    data: activity.data as Extract<WireItem, { kind: 'activity' }>['data'],
  };
}

function identityOf({ canonicalId, displayName }: WorkspaceIdentity) {
  return { canonical_id: canonicalId, display_name: displayName };
}
