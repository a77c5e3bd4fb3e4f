import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

export interface Bundle {
  /** The path of the bundle of a source file. */
  path(name: string): string;
  remove(): void;
}

/**
 * Bundles files, given relative to this folder, as they would ship, so that a process starts without compiling
 * TypeScript.
 */
export async function bundleBench(names: readonly string[]): Promise<Bundle> {
  const folder = mkdtempSync(join(tmpdir(), 'fuel-code-bench-'));
  const bundle = await rolldown({
    input: names.map((name) => fileURLToPath(new URL(name, import.meta.url))),
    platform: 'node',
    transform: { target: 'node22' },
  });
  await bundle.write({ dir: folder, format: 'esm', entryFileNames: '[name].mjs', minify: true });
  await bundle.close();
  return {
    path: (name) => join(folder, basename(name, '.ts') + '.mjs'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
