import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { ensureChromium } from './chromium.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Folder of the page as it ships, built from the current sources. */
    webRoot: string;
    /** The executable; openBrowser() in test/browser/support starts it. */
    chromiumPath: string;
  }
}

const ROOT = resolve(import.meta.dirname, '../..');
/** Builds the page and finds Chromium, once for all tests of the page. */
export async function setup(project: TestProject): Promise<() => void> {
  const [page, chromiumPath] = await Promise.all([buildPage(), ensureChromium()]);
  project.provide('webRoot', page.folder);
  project.provide('chromiumPath', chromiumPath);
  return page.remove;
}

interface BuiltPage {
  readonly folder: string;
  remove(): void;
}

/** `npm test` has built the page already, and names its folder in TEST_PAGE. */
async function buildPage(): Promise<BuiltPage> {
  const given = process.env['TEST_PAGE'];
  if (given !== undefined && given !== '') return { folder: given, remove: () => {} };
  const folder = mkdtempSync(join(tmpdir(), 'fuel-code-page-'));
  const vite = join(ROOT, 'node_modules/vite/bin/vite.js');
  const config = join(ROOT, 'src/web/vite.config.ts');
  await promisify(execFile)(
    process.execPath,
    [vite, 'build', '--config', config, '--outDir', folder, '--emptyOutDir', '--logLevel', 'warn'],
    // Under vitest NODE_ENV is `test`, and vite would take React's development build.
    { cwd: join(ROOT, 'src/web'), env: { ...process.env, NODE_ENV: 'production' } },
  );
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
