import { ensureWritable } from '../archive/state.ts';
import type { DeadLetter } from '../capture/spool/dead-letters.ts';
import { openSpool, type SpoolStats } from '../capture/spool/spool.ts';
import type { Config } from '../config.ts';
import type { Clock } from '../domain/ports.ts';
import type { DrainReport } from '../ingest/events/drain-spool.ts';
import type { Tx } from '../store/engine.ts';
import { listRefused, type Route, retryRefused } from '../store/queries/shipping/shipments.ts';
import type { App } from './open-app.ts';

export type { SpoolStats } from '../capture/spool/spool.ts';

/** A hook payload that could not be read, or a file that the server refused. */
export type QueuedFailure = Omit<DeadLetter, 'reason'> & { readonly reason: string };

/** Hook payloads waiting to be stored, and what could not be stored or shipped. */
export interface Queue {
  stats(): SpoolStats;
  drain(): Promise<DrainReport>;
  failures(): Promise<readonly QueuedFailure[]>;
  retry(id: string): Promise<boolean>;
  /** Hook payloads only: refused files stay in the archive and cannot be dropped. */
  droppable(): readonly QueuedFailure[];
  drop(id: string): boolean;
}

export interface QueueDeps {
  readonly config: Config;
  readonly clock: Clock;
  openApp(): Promise<App>;
}

export function openQueue(deps: QueueDeps): Queue {
  const spool = openSpool(deps.config.home, deps.clock);
  return {
    stats: () => spool.stats(),
    drain: async () => {
      await using app = await deps.openApp();
      ensureWritable(app.config.home, app.isReadOnly);
      return await app.drainHooks();
    },
    failures: async () => [...spool.deadLetters(), ...(await listRefusals(deps))],
    retry: async (id) => spool.retry(id) || (await onServer(deps, false, (db, route) => retryRefused(db, route, id))),
    droppable: () => spool.deadLetters(),
    drop: (id) => spool.drop(id),
  };
}

async function listRefusals(deps: QueueDeps): Promise<readonly QueuedFailure[]> {
  const refused = await onServer(deps, [], listRefused);
  return refused.map(({ id, detail, rejectedAt, attempts, sizeBytes }) => {
    return { id, reason: 'refused_by_server', detail, rejected_at: rejectedAt, attempts, size_bytes: sizeBytes };
  });
}

/** Opens the database only when a server is configured. */
async function onServer<T>(
  { config, openApp }: QueueDeps,
  otherwise: T,
  ask: (db: Tx, route: Route) => Promise<T>,
): Promise<T> {
  if (config.serverUrl === null) return otherwise;
  await using app = await openApp();
  return await ask(app.store.engine.kysely, { server: config.serverUrl, deviceId: app.device.id });
}
