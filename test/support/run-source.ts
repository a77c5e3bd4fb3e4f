import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { childEnv } from './processes.ts';

const run = promisify(execFile);

/** Runs a script of this folder as a separate process and returns its output. */
export async function runSource(script: string, env: Readonly<Record<string, string>>): Promise<string> {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const { stdout } = await run(process.execPath, [path], { env: childEnv(env) });
  return stdout;
}
