import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';

const ROOT = resolve(import.meta.dirname, '../..');
/** Threads that an import may start; they are CommonJS files, as they ship. */
const THREADS = ['import-thread', 'text-thread'];

export interface BundledScript {
  readonly path: string;
  /** Compiled code is cached next to the bundle. */
  readonly env: Readonly<Record<string, string>>;
}

/** Bundles a script of this folder with its imports, for tests that start it dozens of times: it starts in half the time. */
export async function bundleScript(name: string): Promise<BundledScript> {
  const dir = mkdtempSync(join(tmpdir(), 'fuel-code-script-'));
  await write({ [name]: `test/support/${name}.ts` }, dir, 'esm');
  await write(Object.fromEntries(THREADS.map((thread) => [thread, `src/app/${thread}.ts`])), dir, 'cjs');
  return { path: join(dir, `${name}.mjs`), env: { NODE_COMPILE_CACHE: join(dir, 'compiled') } };
}

async function write(input: Record<string, string>, dir: string, format: 'esm' | 'cjs'): Promise<void> {
  const extension = format === 'esm' ? 'mjs' : 'cjs';
  const bundle = await rolldown({
    input,
    cwd: ROOT,
    platform: 'node',
    // An optional dependency of pg.
    external: ['pg-native'],
  });
  await bundle.write({
    dir,
    format,
    entryFileNames: `[name].${extension}`,
    chunkFileNames: `[name]-[hash].${extension}`,
  });
  await bundle.close();
}
