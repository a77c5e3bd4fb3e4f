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
import { POLL_MS } from '../lib/follow.ts';
import { listNames, makeFolder } from '../lib/private-file.ts';
import { followFiles } from './follow-files.ts';
import { type App, type AppOptions, openApp } from './open-app.ts';
import { runRound, whenReachable } from './round.ts';

export interface WorkerOptions extends AppOptions {
  readonly pid: number;
  readonly signal: AbortSignal;
  /** Exit after this long without activity. */
  readonly idleMs?: number;
  /** Called before exiting; null if there is no reason to start again. */
  readonly onIdle?: (rest: WakeConditions | null) => void;
  /** One round only. */
  readonly once?: boolean;
}

/** The conditions under which a worker is needed again. */
export interface WakeConditions {
  /** The time of the last scan. */
  readonly lastScanMs: number;
  /** Changes in these folders, … */
  readonly folders: readonly string[];
  /** … the exit of one of these processes, which run sessions, … */
  readonly pids: readonly number[];
  /** … or this time. */
  readonly wakeAtMs: number | null;
}

/** Short, since a worker that has imported holds about 100 MB; a sentinel starts it again. */
const DEFAULT_IDLE_MS = 5_000;
/** How soon to try again while another process imports. */
const BUSY_MS = 2_000;

/**
 * L10, L11: the only worker of this machine. It imports immediately and after every change, and exits when idle. False if
 * another worker is already running.
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
    lowerPriority();
    const open = () => openApp({ ...options, isBackground: !once });
    await using app = once ? await open() : await whenReachable(open, options);
    if (app === null) return true;
    if (once) await runRound(app, options);
    else await workUntilIdle(app, options, idleMs, lock);
    return true;
  } finally {
    lock.release();
  }
}

function hasWaiting(home: string): boolean {
  return listNames(join(home, 'spool')).some((name) => !name.startsWith('.'));
}

async function workUntilIdle(app: App, options: WorkerOptions, idleMs: number, lock: WorkerLock): Promise<void> {
  const { signal, clock } = options;
  const { config } = app;
  const spool = join(config.home, 'spool');
  makeFolder(spool, 0o700);
  const follower = followFiles(config, signal);
  let lastScanMs = 0;
  try {
    for (let isIdle = false; !isIdle && !signal.aborted; ) {
      lastScanMs = clock.now().getTime();
      const outcome = await whenReachable(() => runRound(app, options), options);
      lock.reportMode(follower.mode());
      // We must finish what another process leaves undone.
      const woken = await follower.next(outcome === 'busy' ? BUSY_MS : idleMs);
      app.folder.check();
      isIdle = woken === 'timeout' && outcome === 'quiet';
    }
  } finally {
    follower.close();
  }
  if (signal.aborted) return;
  forgetDeadProcesses(config.home, clock.now());
  options.onIdle?.(await planWake(app, [...projectFolders(config), spool], lastScanMs));
}

/** Null when all sessions have ended and nothing is due later. Work due before the last scan is not a reason to wait. */
async function planWake(app: App, folders: readonly string[], lastScanMs: number): Promise<WakeConditions | null> {
  const { pids } = findSessionProcesses(app.config);
  const due = (await app.dueTimes()).filter((ms) => ms > lastScanMs);
  if (pids.length === 0 && due.length === 0) return null;
  return { lastScanMs, folders, pids, wakeAtMs: due.length === 0 ? null : Math.min(...due) };
}

function lowerPriority(): void {
  try {
    setPriority(constants.priority.PRIORITY_LOW);
  } catch {
    // Some containers forbid this; it is not essential.
  }
}

export type { LiveWorker } from '../capture/worker-lock.ts';

/** How often a worker polls folders that cannot be watched. */
const POLL_SECONDS = POLL_MS / 1_000;

export interface WorkerState {
  /** The running worker of this machine, or null. */
  readonly worker: LiveWorker | null;
  /** The process that starts the worker when files change, or null. */
  readonly sentinel: { readonly pid: number } | null;
}

export function readWorkerState(home: string): WorkerState {
  const worker = describeWorker(home);
  return { worker, sentinel: worker === null ? findSentinel(home) : null };
}

/** C21: a worker that cannot watch folders polls, which is slower. */
export function workerSentence({ worker, sentinel }: WorkerState): string {
  if (worker === null) {
    const starts = 'hooks and commands start it when needed';
    return sentinel === null ? `not running; ${starts}` : `idle; process ${sentinel.pid} starts it when files change`;
  }
  const every = `checks every ${POLL_SECONDS} s because some folders cannot be watched`;
  return `running as process ${worker.pid}${worker.mode === 'polling' ? `; ${every}` : ''}`;
}
