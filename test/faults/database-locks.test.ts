import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { migrate } from '../../src/store/migrate.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';

const KERNEL_LOCKS = '/proc/locks';

/** The locks on a file, as the kernel lists them. POSIX locks belong to the process, not to a connection. */
function locksOn(path: string): number {
  const { ino } = statSync(path);
  const lines = readFileSync(KERNEL_LOCKS, 'utf8').split('\n');
  return lines.filter((line) => line.includes(`:${ino} `) && line.includes(` ${process.pid} `)).length;
}

describe('F18: the locks of an open database', () => {
  it('survive when the same process opens it again and closes that connection', async (context) => {
    context.skip(!existsSync(KERNEL_LOCKS), `${KERNEL_LOCKS} does not exist here`);
    const folder = mkdtempSync(join(tmpdir(), 'fuel-code-locks-'));
    const path = join(folder, 'fuel.db');
    try {
      const first = openSqlite(path);
      await migrate(first);
      const before = locksOn(path);
      expect(before).toBeGreaterThan(0);
      const second = openSqlite(path);
      expect(locksOn(path)).toBe(before);
      await second.close();
      expect(locksOn(path)).toBe(before);
      await first.close();
      expect(locksOn(path)).toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
