import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { makeCorpus } from './corpus.ts';
import { isMain } from './measure.ts';

/** How long a command takes from the shell, as a ratio to a bare `node -e 0` in the same run. Needs a build. */

const ROUNDS = 15;
const LAUNCHER = fileURLToPath(new URL('../bin/fuel-code', import.meta.url));
export async function benchStartUp(): Promise<void> {
  if (!existsSync(new URL('../dist/main.cjs', import.meta.url))) throw new Error('run `npm run build` first');
  const corpus = await makeCorpus('S');
  const home = mkdtempSync(join(tmpdir(), 'fuel-code-bench-'));
  const env = { ...process.env, FUEL_CODE_HOME: home, CLAUDE_CONFIG_DIR: corpus.claudeHome };
  try {
    execFileSync(process.execPath, [LAUNCHER, 'backfill', '--json'], { env, stdio: 'ignore' });
    const commands = {
      'node -e 0': ['-e', '0'],
      'fuel-code --version': [LAUNCHER, '--version'],
      'fuel-code statusline': [LAUNCHER, 'statusline'],
      'fuel-code sessions --no-import': [LAUNCHER, 'sessions', '--no-import'],
      'fuel-code sessions': [LAUNCHER, 'sessions'],
      'fuel-code sessions --all --json': [LAUNCHER, 'sessions', '--all', '--json'],
    };
    const times = Object.fromEntries(Object.keys(commands).map((name) => [name, [] as number[]]));
    for (let round = 0; round < ROUNDS; round++) {
      for (const [name, args] of Object.entries(commands)) times[name]?.push(timed(args, env));
    }
    const bare = median(times['node -e 0'] ?? []);
    console.log(`start-up over ${corpus.madeBy}, median of ${ROUNDS}`);
    for (const [name, values] of Object.entries(times)) {
      console.log(
        `  ${name.padEnd(34)} ${median(values).toFixed(0).padStart(5)} ms  ${(median(values) / bare).toFixed(2)}`,
      );
    }
  } finally {
    rmSync(home, { recursive: true });
    corpus.remove();
  }
}

function timed(args: readonly string[], env: NodeJS.ProcessEnv): number {
  const startedMs = performance.now();
  spawnSync(process.execPath, args, { env, input: '{}', stdio: ['pipe', 'ignore', 'ignore'] });
  return performance.now() - startedMs;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

if (isMain(import.meta.url)) await benchStartUp();
