import { readFileSync } from 'node:fs';
import process from 'node:process';

/** A process told apart from a later one with the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly boot: string;
  readonly started: string;
}

const START_TIME_FIELD = 19;

/** Boot and start time come from /proc; where there is none, the process number has to do. */
export function identityOf(pid: number): ProcessIdentity {
  const boot = read('/proc/sys/kernel/random/boot_id')?.trim() ?? '';
  const stat = read(`/proc/${pid}/stat`);
  const started = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[START_TIME_FIELD] ?? '';
  return { pid, boot, started };
}

/** Program and arguments of a process; null where the system does not say. */
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

/** What `JSON.stringify` of an identity gave; null for any other text. */
export function parseIdentity(text: string): ProcessIdentity | null {
  try {
    const { pid, boot, started } = JSON.parse(text) as Partial<ProcessIdentity>;
    if (Number.isInteger(pid) && typeof boot === 'string' && typeof started === 'string') {
      return { pid: Number(pid), boot, started };
    }
  } catch {
    // Text that says nothing names nobody.
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
