import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { childEnv } from './processes.ts';

const run = promisify(execFile);
const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** The source modules and packages that a command line loads, found by running it from source. */
export async function loadedModules(
  words: readonly string[],
  { env, folder }: { readonly env: Readonly<Record<string, string>>; readonly folder: string },
): Promise<readonly string[]> {
  const LOADED_TO = join(folder, 'loaded.txt');
  const args = ['--import', here('note-modules.ts'), here('run-main.ts'), ...words];
  await run(process.execPath, args, { env: childEnv({ ...env, LOADED_TO }) });
  return readFileSync(LOADED_TO, 'utf8').split('\n');
}
