import { readFileSync } from 'node:fs';
import process from 'node:process';

/** Distinguishes a process from a later one with the same process id. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly boot: string;
  readonly started: string;
}

const START_TIME_FIELD = 19;

/** Boot id and start time come from /proc; on systems without it only the process id is compared. */
export function identityOf(pid: number): ProcessIdentity {
  const boot = read('/proc/sys/kernel/random/boot_id')?.trim() ?? '';
  const stat = read(`/proc/${pid}/stat`);
  const started = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[START_TIME_FIELD] ?? '';
  return { pid, boot, started };
}

/** Program and arguments of a process; null if the system does not provide them. */
export function commandLineOf(pid: number): string | null {
  return read(`/proc/${pid}/cmdline`);
}

export function isAlive(identity: ProcessIdentity): boolean {
  return isRunning(identity.pid) && isSameProcess(identityOf(identity.pid), identity);
}

export function isSameProcess(a: ProcessIdentity, b: ProcessIdentity): boolean {
  return a.pid === b.pid && a.boot === b.boot && a.started === b.started;
}

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Parses the JSON of an identity; null for any other text. */
export function parseIdentity(text: string): ProcessIdentity | null {
  try {
    const { pid, boot, started } = JSON.parse(text) as Partial<ProcessIdentity>;
    if (Number.isInteger(pid) && typeof boot === 'string' && typeof started === 'string') {
      return { pid: Number(pid), boot, started };
    }
  } catch {
    // Not JSON: no identity.
  }
  return null;
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
