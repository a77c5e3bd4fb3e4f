import { appendFileSync, lstatSync } from 'node:fs';
import { join } from 'node:path';

/** One byte per dropped entry, appended by hooks and by us: the file size is the count. */
const NAME = '.dropped';

export function recordDropped(folder: string, count: number): void {
  if (count > 0) appendFileSync(join(folder, NAME), '.'.repeat(count), { mode: 0o600 });
}

export function readDropped(folder: string): number {
  return lstatSync(join(folder, NAME), { throwIfNoEntry: false })?.size ?? 0;
}
