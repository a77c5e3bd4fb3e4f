import process from 'node:process';
import { join } from 'node:path';
import { readTextFile } from '../../lib/private-file.ts';

/**
 * The process id of the living worker, or null. `worker.pid` holds the id and, where the kernel tells it, the tick at
 * which that process began: an id alone may meanwhile belong to somebody else. The hook reads the file the same way.
 */
export function livingWorker(home: string): number | null {
  const [, id = '', since = ''] = /^(\d+)(?: (\d+))?\s*$/.exec(readTextFile(join(home, 'worker.pid')) ?? '') ?? [];
  const pid = Number(id);
  if (pid <= 0 || !isRunning(pid)) return null;
  const stat = readTextFile(`/proc/${pid}/stat`);
  if (stat === null) return pid;
  const fields = stat.slice(stat.lastIndexOf(') ') + 2).split(' ');
  if (fields[0] === 'Z') return null;
  return since === '' || since === fields[START_FIELD] ? pid : null;
}

/** The position of the start time behind the name of the process, see proc(5). */
const START_FIELD = 19;

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    // Gone, or somebody else's: not our worker in either case.
    return false;
  }
}
