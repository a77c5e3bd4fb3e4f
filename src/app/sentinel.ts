import { spawn } from 'node:child_process';
import { type Dirent, existsSync, readdirSync, readFileSync, statSync, watch } from 'node:fs';
import process from 'node:process';

/**
 * Waits until the worker is needed again and starts it. A worker that has imported uses about 100 MB of memory; this
 * process loads only this file and uses half of that. It exits after starting a worker, when another worker or a newer
 * sentinel is running, or when the data folder is gone. It writes nothing.
 */
export interface SentinelOrder {
  /** The data folder; `folderId` identifies it even if another one takes its path. */
  readonly home: string;
  readonly folderId: string;
  /** The worker that started us; it is about to exit. */
  readonly workerPid: number;
  /** The last scan of the worker; changes since then start a worker immediately. */
  readonly lastScanMs: number;
  /** Start a worker when anything in these folders changes, … */
  readonly folders: readonly string[];
  /** … when one of these processes is gone, … */
  readonly pids: readonly number[];
  /** … or at this time. */
  readonly wakeAtMs: number | null;
  /** Program and arguments of the worker. */
  readonly command: readonly string[];
}

const CHECK_MS = 1_000;
const SETTLE_MS = 200;

const order = JSON.parse(process.argv[2] ?? 'null') as SentinelOrder | null;
if (order !== null) waitAndWake(order);

function waitAndWake(given: SentinelOrder): void {
  const { home, folderId, workerPid, lastScanMs, folders, pids, wakeAtMs, command } = given;
  const isOver = () => idOf(home) !== folderId || !isMine(home, workerPid) || hasWorker(home, workerPid);
  const wake = () => {
    if (isOver()) process.exit(0);
    const [program = '', ...args] = command;
    spawn(program, args, { cwd: '/', detached: true, stdio: 'ignore' }).unref();
    process.exit(0);
  };
  for (const folder of folders.filter((path) => existsSync(path))) {
    try {
      watch(folder, { recursive: true }, () => setTimeout(wake, SETTLE_MS)).on('error', wake);
    } catch {
      // No watches left: hooks and commands still start a worker.
    }
  }
  let isFirst = true;
  setInterval(() => {
    if (isOver()) process.exit(0);
    if (pids.some((pid) => !isRunning(pid)) || (wakeAtMs !== null && Date.now() >= wakeAtMs)) wake();
    if (isFirst && folders.some((folder) => hasChanged(folder, lastScanMs))) wake();
    isFirst = false;
  }, CHECK_MS);
}

const MAX_DEPTH = 10;

/** Compares ctime, which programs cannot set. */
function hasChanged(folder: string, sinceMs: number, depthLeft = MAX_DEPTH): boolean {
  return listEntries(folder).some((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return depthLeft > 0 && hasChanged(path, sinceMs, depthLeft - 1);
    return entry.isFile() && (statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? 0) >= sinceMs;
  });
}

function listEntries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function idOf(path: string): string | null {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? null : `${stat.dev}:${stat.ino}`;
}

/** The worker that started us records our pid before it exits; a later worker starts another sentinel. */
function isMine(home: string, workerPid: number): boolean {
  return readNumber(`${home}/sentinel.pid`) === process.pid || isRunning(workerPid);
}

function hasWorker(home: string, leavingPid: number): boolean {
  const pid = readNumber(`${home}/worker.pid`);
  return pid !== null && pid !== leavingPid && isRunning(pid);
}

function readNumber(path: string): number | null {
  try {
    return Number(readFileSync(path, 'utf8')) || null;
  } catch {
    return null;
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
