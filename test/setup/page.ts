import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Folder of the page as it ships, built from the current sources. */
    webRoot: string;
  }
}

const ROOT = resolve(import.meta.dirname, '../..');

/** Builds the page once for all its tests. */
export async function setup(project: TestProject): Promise<() => void> {
  const outDir = mkdtempSync(join(tmpdir(), 'fuel-code-page-'));
  const vite = join(ROOT, 'node_modules/vite/bin/vite.js');
  const config = join(ROOT, 'src/web/vite.config.ts');
  await promisify(execFile)(
    process.execPath,
    [vite, 'build', '--config', config, '--outDir', outDir, '--emptyOutDir', '--logLevel', 'warn'],
    // Under vitest NODE_ENV is `test`, and vite would take React's development build.
    { cwd: join(ROOT, 'src/web'), env: { ...process.env, NODE_ENV: 'production' } },
  );
  project.provide('webRoot', outDir);
  return () => rmSync(outDir, { recursive: true, force: true });
}
