import { readdirSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { type App, type AppOptions, openApp } from './app.ts';
import { follow } from './capture/follow.ts';
import { homesToRead, projectFolders } from './capture/homes.ts';
import { findLiveSessions } from './capture/live-sessions.ts';
import { acquireWorkerLock, type WorkerLock } from './capture/worker-lock.ts';
import { FuelError } from './domain/errors.ts';
import type { ImportReport } from './import.ts';
import { makeFolder } from './lib/private-file.ts';
import { whenReachable } from './when-reachable.ts';

export interface WorkerOptions extends AppOptions {
  readonly pid: number;
  readonly signal: AbortSignal;
  /** Leave when nothing has happened for so long and no session is open. */
  readonly idleMs?: number;
  /** One round only. */
  readonly once?: boolean;
}

const DEFAULT_IDLE_MS = 60_000;
const LIVE_POLL_MS = 30_000;

/**
 * L10, L11: the one worker of this machine. It looks at once, then whenever something changes, every half minute while
 * a session is open, and leaves when all is quiet. False when another one is at it already.
 */
export async function runWorker(options: WorkerOptions): Promise<boolean> {
  const { config, signal, once = false } = options;
  let ran = await workAlone(options);
  if (!ran || once) return ran;
  // A hook that fired while we were leaving saw us alive and woke nobody: look once more, now that the lock is free.
  while (ran && !signal.aborted && hasWaiting(config.home)) ran = await workAlone(options);
  return true;
}

async function workAlone(options: WorkerOptions): Promise<boolean> {
  const { config, pid, once = false, idleMs = DEFAULT_IDLE_MS } = options;
  const lock = acquireWorkerLock(config.home, pid);
  if (lock === null) return false;
  try {
    beNice();
    await using app = await openApp(options);
    if (once) await round(app, options);
    else await workUntilIdle(app, options, idleMs, lock);
    return true;
  } finally {
    lock.release();
  }
}

function hasWaiting(home: string): boolean {
  try {
    return readdirSync(join(home, 'spool')).some((name) => !name.startsWith('.'));
  } catch {
    return false;
  }
}

async function workUntilIdle(app: App, options: WorkerOptions, idleMs: number, lock: WorkerLock): Promise<void> {
  const { signal } = options;
  const { config } = app;
  const spool = join(config.home, 'spool');
  makeFolder(spool, 0o700);
  const follower = follow(() => [...projectFolders(config), spool], signal);
  try {
    for (let isIdle = false; !isIdle && !signal.aborted; ) {
      const didWork = await whenReachable(() => round(app, options), options);
      const hasLive = findLiveSessions(homesToRead(config)).size > 0;
      lock.tell(follower.mode());
      const woken = await follower.next(hasLive ? LIVE_POLL_MS : idleMs);
      app.folder.check();
      isIdle = woken === 'timeout' && !hasLive && !didWork;
    }
  } finally {
    follower.close();
  }
}

/** One look at everything. True when there was something to do. */
async function round(app: App, { log, signal }: WorkerOptions): Promise<boolean> {
  await app.drainHooks();
  const report = await importOrSkip(app, signal);
  for (const { path, error } of report?.failed ?? [])
    log.warn('a file or session could not be imported', { path, error });
  const shipped = await app.ship(signal);
  await app.sweepShares();
  const hasShipped = shipped !== null && shipped.files + shipped.events + shipped.git > 0;
  return hasShipped || (report !== null && (report.files_changed > 0 || report.sessions_parsed > 0));
}

async function importOrSkip(app: App, signal: AbortSignal): Promise<ImportReport | null> {
  try {
    return await app.importNew({ signal });
  } catch (error) {
    if (error instanceof FuelError && error.code === 'busy') return null;
    throw error;
  }
}

/** Other work on the machine goes first. */
function beNice(): void {
  try {
    setPriority(constants.priority.PRIORITY_LOW);
  } catch {
    // Some containers forbid it; then we are merely not nicer than others.
  }
}
