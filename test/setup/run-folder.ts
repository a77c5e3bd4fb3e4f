import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { constants, freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
/** A whole run needs less than a quarter of this. */
const ENOUGH_BYTES = 4 * 1024 ** 3;

/**
 * The temporary folder of a run, removed when the run ends. Tests remove their own folders; this one has what a failed test,
 * a killed program or the browser leaves behind, because test processes exit without cleaning up.
 */
export function makeRunFolder(): string {
  const folder = mkdtempSync(join(isInMemory() ? MEMORY : tmpdir(), 'fuel-code-run-'));
  // Other users need access: PostgreSQL runs as a different user.
  chmodSync(folder, 0o711);
  // A browser whose test has just ended may still write something.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  for (const signal of ['SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
  return folder;
}

/**
 * The program syncs everything it stores, so on a disk the tests mostly wait for it. They run in memory if there is enough,
 * unless TMPDIR is set. Some of them execute files, which not every system allows there.
 */
function isInMemory(): boolean {
  if ((process.env['TMPDIR'] ?? '') !== '' || freemem() < 2 * ENOUGH_BYTES) return false;
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .findLast((line) => line.split(' ')[1] === MEMORY);
    return bavail * bsize >= ENOUGH_BYTES && mount?.split(' ')[3]?.split(',').includes('noexec') === false;
  } catch {
    return false;
  }
}
