import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

const made: string[] = [];

// Registered where a test file imports this; the exit of a test process runs no handlers.
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

/** A folder that is gone when the tests of the file are through. */
export function makeTempFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `fuel-${name}-`));
  made.push(folder);
  return folder;
}
