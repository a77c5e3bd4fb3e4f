import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DAY_MS } from '../domain/durations.ts';
import { listNames, readTextFile } from '../lib/private-file.ts';
import { identityOf, isRunning } from '../lib/process-identity.ts';
import { type HomePaths, homesToRead } from './homes.ts';
import { hookPaths } from './hook/hook-files.ts';

/** Sessions with a known client process, by whether it is still running. */
interface SessionProcesses {
  readonly live: ReadonlySet<string>;
  /** All their known processes have ended. */
  readonly dead: ReadonlySet<string>;
  /** Process ids of the live sessions. */
  readonly pids: readonly number[];
}

interface SessionProcess {
  readonly sessionId: string;
  readonly pid: number;
  readonly isRunning: boolean;
}

/**
 * Combines two registries: the client's own (`sessions/<pid>.json`, interactive sessions only) and our hook's, which
 * records the process that called it.
 */
export function findSessionProcesses(paths: HomePaths): SessionProcesses {
  const all = [...homesToRead(paths).flatMap(readClientRegistry), ...readHookRegistry(paths.home)];
  const running = all.filter((one) => one.isRunning);
  const live = new Set(running.map(({ sessionId }) => sessionId));
  const dead = new Set(all.map(({ sessionId }) => sessionId)).difference(live);
  return { live, dead, pids: [...new Set(running.map(({ pid }) => pid))] };
}

function readClientRegistry(claudeHome: string): SessionProcess[] {
  const folder = join(claudeHome, 'sessions');
  return listNames(folder).flatMap((name) => {
    const pid = /^(\d+)\.json$/.exec(name)?.[1];
    const sessionId = pid === undefined ? null : readSessionId(join(folder, name));
    return sessionId === null ? [] : [{ sessionId, pid: Number(pid), isRunning: isRunning(Number(pid)) }];
  });
}

/** One file per process, named by its id, with the session and the start time of the process. */
function readHookRegistry(home: string): SessionProcess[] {
  const folder = hookPaths(home).live;
  return listNames(folder).flatMap((name) => {
    const [sessionId, began] = (readTextFile(join(folder, name)) ?? '').trim().split(' ');
    const pid = Number(name);
    if (!Number.isSafeInteger(pid) || !sessionId || !began) return [];
    return [{ sessionId, pid, isRunning: isRunning(pid) && identityOf(pid).started === began }];
  });
}

const KEEP_DEAD_MS = DAY_MS;

/** Removes our hook's records of processes that ended long ago. */
export function forgetDeadProcesses(home: string, now: Date): void {
  const folder = hookPaths(home).live;
  for (const { pid } of readHookRegistry(home).filter((one) => !one.isRunning)) {
    const path = join(folder, String(pid));
    const mtimeMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (mtimeMs < now.getTime() - KEEP_DEAD_MS) rmSync(path, { force: true });
  }
}

function readSessionId(path: string): string | null {
  try {
    const { sessionId } = JSON.parse(readTextFile(path) ?? '{}') as { sessionId?: unknown };
    return typeof sessionId === 'string' ? sessionId : null;
  } catch {
    return null;
  }
}
