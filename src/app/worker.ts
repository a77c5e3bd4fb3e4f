import { readdirSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { projectFolders } from '../capture/homes.ts';
import { findSessionProcesses, forgetDeadProcesses } from '../capture/live-sessions.ts';
import {
  acquireWorkerLock,
  describeWorker,
  findSentinel,
  type LiveWorker,
  type WorkerLock,
} from '../capture/worker-lock.ts';
import { follow, POLL_MS } from '../lib/follow.ts';
import { makeFolder } from '../lib/private-file.ts';
import { type App, type AppOptions, openApp } from './open-app.ts';
import { runRound, whenReachable } from './round.ts';

export interface WorkerOptions extends AppOptions {
  readonly pid: number;
  readonly signal: AbortSignal;
  /** Leave when nothing has happened for this long. */
  readonly idleMs?: number;
  /** Called before exiting with the reason to start again; null when there is none. */
  readonly onRest?: (rest: Rest | null) => void;
  /** One round only. */
  readonly once?: boolean;
}

/** What a worker would be needed for again. */
export interface Rest {
  /** When the worker looked last. */
  readonly lastLookMs: number;
  /** Changes below these, … */
  readonly folders: readonly string[];
  /** … the end of one of these processes, which run sessions, … */
  readonly pids: readonly number[];
  /** … or this time. */
  readonly wakeAtMs: number | null;
}

/** Short, since a worker that has imported holds about 100 MB; a sentinel starts it again. */
const DEFAULT_IDLE_MS = 5_000;
/** How soon to try again while another process imports. */
const BUSY_MS = 2_000;

/**
 * L10, L11: the one worker of this machine. It looks at once, then whenever something changes, and leaves when all is
 * quiet. False when another worker runs already.
 */
export async function runWorker(options: WorkerOptions): Promise<boolean> {
  const { config, signal, once = false } = options;
  let ran = await workAlone(options);
  if (!ran || once) return ran;
  // A hook that fired during the exit saw a running worker and started none: check once more, now that the lock is free.
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
    if (once) await runRound(app, options);
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
  const { signal, clock } = options;
  const { config } = app;
  const spool = join(config.home, 'spool');
  makeFolder(spool, 0o700);
  const folders = () => [...projectFolders(config), spool];
  const follower = follow(folders, signal);
  let lastLookMs = 0;
  try {
    for (let isIdle = false; !isIdle && !signal.aborted; ) {
      lastLookMs = clock.now().getTime();
      const outcome = await whenReachable(() => runRound(app, options), options);
      lock.reportMode(follower.mode());
      // What another process leaves undone is ours to finish.
      const woken = await follower.next(outcome === 'busy' ? BUSY_MS : idleMs);
      app.folder.check();
      isIdle = woken === 'timeout' && outcome === 'quiet';
    }
  } finally {
    follower.close();
  }
  if (signal.aborted) return;
  forgetDeadProcesses(config.home, clock.now());
  options.onRest?.(await planRest(app, folders(), lastLookMs));
}

/** Null when all sessions have ended and every file was compared. What was due at the last look cannot be done by waiting. */
async function planRest(app: App, folders: readonly string[], lastLookMs: number): Promise<Rest | null> {
  const { pids } = findSessionProcesses(app.config);
  const due = (await app.dueTimes()).filter((ms) => ms > lastLookMs);
  if (pids.length === 0 && due.length === 0) return null;
  return { lastLookMs, folders, pids, wakeAtMs: due.length === 0 ? null : Math.min(...due) };
}

/** Other work on the machine goes first. */
function beNice(): void {
  try {
    setPriority(constants.priority.PRIORITY_LOW);
  } catch {
    // Some containers forbid it; then we are merely not nicer than others.
  }
}

export type { LiveWorker } from '../capture/worker-lock.ts';

/** How often a worker looks for changes where folders cannot be watched. */
export const POLL_SECONDS = POLL_MS / 1_000;

export interface WorkerState {
  /** The worker of this machine; null when none runs. */
  readonly worker: LiveWorker | null;
  /** The process that starts the worker when files change; null when none runs. */
  readonly sentinel: { readonly pid: number } | null;
}

export function readWorkerState(home: string): WorkerState {
  const worker = describeWorker(home);
  return { worker, sentinel: worker === null ? findSentinel(home) : null };
}
