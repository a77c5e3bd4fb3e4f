import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that is removed at the end of the run, with the other temporary files (test/setup/run-folder.ts). */
export function makeTempFolder(name: string): string {
  return mkdtempSync(join(tmpdir(), `fuel-${name}-`));
}
