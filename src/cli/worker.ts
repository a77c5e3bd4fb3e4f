import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { SentinelOrder } from '../app/sentinel.ts';
import { runWorker, type WakeConditions } from '../app/worker.ts';
import type { Config } from '../config.ts';
import { writePrivateFile } from '../lib/private-file.ts';
import { withBackgroundLog } from './background-log.ts';
import type { Command } from './command.ts';
import { printNote } from './output.ts';

export const command: Command = {
  name: 'worker',
  about: 'Watch the transcripts on this machine and import changes. Hooks start it when needed.',
  isService: true,
  options: { once: { type: 'boolean', about: 'Import once and exit.' } },
  examples: [
    ['fuel-code worker', 'Run until nothing has changed for a while.'],
    ['fuel-code worker --once', 'For use with cron or a timer.'],
  ],
  run: async (context, args) => {
    const { loaded, clock, signal, terminal } = context;
    const { config } = loaded;
    const once = args.flags.has('once');
    if (terminal.isInteractive)
      printNote(terminal, 'Watching Claude Code sessions; exits when idle. Press Ctrl-C to stop.');
    const ran = await withBackgroundLog(context, { by: 'worker', config }, ({ log }) =>
      runWorker({ config, clock, log, signal, once, pid: process.pid, onIdle: (wake) => startSentinel(config, wake) }),
    );
    if (!ran) terminal.err('A worker is already running.\n');
  },
};

const isBuilt = !import.meta.url.endsWith('.ts');
/** In src/app when run from source, next to the bundle when built. */
const SENTINEL = new URL(isBuilt ? './sentinel.cjs' : '../app/sentinel.ts', import.meta.url);
/**
 * The sentinel runs no code worth compiling: 51 instead of 63 MB resident, 37 of which are pages of Node.js itself.
 * TypeScript cannot be loaded this way.
 */
const SENTINEL_FLAGS = isBuilt ? ['--jitless', '--max-semi-space-size=1', '--v8-pool-size=0'] : [];

/** Starts a small process that restarts the worker when needed. */
function startSentinel({ home }: Config, wake: WakeConditions | null): void {
  const program = process.argv[1];
  if (wake === null || program === undefined) return;
  const { dev, ino } = statSync(home);
  const order: SentinelOrder = {
    home,
    folderId: `${dev}:${ino}`,
    workerPid: process.pid,
    ...wake,
    command: [process.execPath, program, 'worker'],
  };
  const child = spawn(process.execPath, [...SENTINEL_FLAGS, fileURLToPath(SENTINEL), JSON.stringify(order)], {
    cwd: '/',
    detached: true,
    stdio: 'ignore',
  });
  child.on('error', () => {});
  child.unref();
  writePrivateFile(join(home, 'sentinel.pid'), `${child.pid}\n`);
}
