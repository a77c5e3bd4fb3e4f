import {
  type DeletedItem,
  type IngestResults,
  MAX_DELETIONS,
  MAX_EVENTS,
  MAX_GIT_ITEMS,
  type GitItem as WireItem,
} from '../../api/ingest.ts';
import { type Event, NO_SESSION } from '../../domain/event.ts';
import type { WorkspaceIdentity } from '../../domain/workspace.ts';
import { findUnreported, saveReported } from '../../store/queries/deletions/deletions.ts';
import { findEventsToShip } from '../../store/queries/events/events.ts';
import { findGitToShip, type GitItem, markGitShipped } from '../../store/queries/shipping/git-shipments.ts';
import { endPause, loadPause, markEventShipped, savePause } from '../../store/queries/shipping/shipping.ts';
import { MAX_WAIT_MS, type Reply } from './server-client.ts';
import type { Halt, ShipDeps, Tally } from './ship.ts';

/** Small items to send, many per request. */
export interface Outbox<T extends { readonly id: string }> {
  /** The next unsettled items, in order. */
  find(limit: number): Promise<readonly T[]>;
  send(batch: readonly T[]): Promise<Reply<IngestResults>>;
  /** Records that the server accepted an item, or the reason why it refused it. */
  settle(item: T, refusal: string | null): Promise<void>;
}

/** The server accepts bodies of up to a megabyte. */
const MAX_BATCH_CHARS = 500_000;

/** Sends all items. Returns the reply that stopped it, or null. Every item has its own result. */
export async function shipBatches<T extends { readonly id: string }>(
  outbox: Outbox<T>,
  { limit, signal }: { readonly limit: number; readonly signal: AbortSignal },
): Promise<Halt | null> {
  for (let isAlone = false; !signal.aborted; ) {
    const batch = cut(await outbox.find(isAlone ? 1 : limit));
    if (batch.length === 0) return null;
    const reply = await outbox.send(batch);
    if (reply.kind === 'busy' || reply.kind === 'locked') return reply;
    if (reply.kind === 'ok') {
      const byId = new Map(reply.body.results.map((result) => [result.id, result]));
      for (const item of batch) await outbox.settle(item, refusalOf(byId.get(item.id)));
      isAlone = false;
    } else if (batch.length > 1) {
      // One item spoils the batch: send them one by one to find it.
      isAlone = true;
    } else {
      const [item] = batch;
      if (item) await outbox.settle(item, 'reason' in reply ? reply.reason : reply.kind);
    }
  }
  return null;
}

function refusalOf(result: { readonly status: string; readonly reason?: string | undefined } | undefined) {
  if (result === undefined) return 'The server did not report a result.';
  return result.status === 'rejected' ? (result.reason ?? 'The server rejected it.') : null;
}

function cut<T>(items: readonly T[]): readonly T[] {
  let chars = 0;
  const end = items.findIndex((item, at) => {
    chars += JSON.stringify(item).length;
    return at > 0 && chars > MAX_BATCH_CHARS;
  });
  return end === -1 ? items : items.slice(0, end);
}

/** Reports permanently deleted sessions to the server. */
export function shipDeletions({ engine, client, server, device, signal }: ShipDeps): Promise<Halt | null> {
  const outbox = {
    find: async (limit: number) =>
      (await findUnreported(engine.kysely, server.url, limit)).map(({ sessionId, at }) => ({
        id: sessionId,
        deleted_at: at,
      })),
    send: (batch: readonly DeletedItem[]) => client.sendDeletions(device, batch),
    // A refusal is final too: the session belongs to another device there.
    settle: ({ id }: DeletedItem) => saveReported(engine.kysely, id, server.url),
  };
  return shipBatches(outbox, { limit: MAX_DELETIONS, signal });
}

/** Sends the events that the server lacks, oldest first. */
export function shipEvents({ engine, client, server, device, signal }: ShipDeps, tally: Tally): Promise<Halt | null> {
  const route = { server: server.url, deviceId: device.id };
  const outbox = {
    find: (limit: number) => findEventsToShip(engine.kysely, route, limit),
    send: (batch: readonly Event[]) => client.sendEvents(device, batch.map(eventToWire)),
    settle: async ({ id }: Event, refusal: string | null) => {
      await markEventShipped(engine.kysely, server.url, id, refusal);
      if (refusal === null) tally.events++;
      else tally.refused++;
    },
  };
  return shipBatches(outbox, { limit: MAX_EVENTS, signal });
}

function eventToWire({ id, type, timestamp, session_id, workspace, data }: Event): object {
  return { id, type, timestamp, session_id: session_id === NO_SESSION ? null : session_id, workspace, data };
}

/** Git activity has its own pause, for servers that do not accept it. */
export function gitPauseKey(server: string): string {
  return `${server} git`;
}

/**
 * Sends the git activity of this device. A server that is too old for it is tried again now and then, without delaying
 * anything else.
 */
export async function shipGit(deps: ShipDeps, tally: Tally): Promise<Halt | null> {
  const { engine, clock, server } = deps;
  const key = gitPauseKey(server.url);
  const pause = await loadPause(engine.kysely, key);
  const nowMs = clock.now().getTime();
  if (pause !== null && nowMs < pause.nextTryMs) return null;
  const halt = await shipAllGit(deps, tally);
  if (halt?.kind === 'busy' && halt.isUnknownRoute) {
    const since = { failures: (pause?.failures ?? 0) + 1, nextTryMs: nowMs + MAX_WAIT_MS, refusedTokenSha256: null };
    await savePause(engine.kysely, key, { ...since, reason: TOO_OLD }, clock.now().toISOString());
    return null;
  }
  if (halt === null && pause !== null) await endPause(engine.kysely, key);
  return halt;
}

const TOO_OLD = 'The server does not accept git activity; update it to the version of this device.';

const DUPLICATE_DEVICE = {
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
      const items = batch.map(gitToWire);
      const reply = await client.sendGit({ device, order: next(), items });
      if (reply.kind !== 'gap') return reply;
      // Our clock was set back.
      order = reply.at;
      const second = await client.sendGit({ device, order: next(), items });
      return second.kind === 'gap' ? DUPLICATE_DEVICE : second;
    },
    settle: async (item: GitItem, refusal: string | null) => {
      await markGitShipped(engine.kysely, server.url, item, refusal, clock.now().toISOString());
      if (refusal === null) tally.git++;
      else tally.refused++;
    },
  };
  return shipBatches(outbox, { limit: MAX_GIT_ITEMS, signal });
}

function gitToWire(item: GitItem): WireItem {
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
