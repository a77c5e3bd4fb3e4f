import { flushCompileCache } from 'node:module';
import process, { argv, env, kill, pid } from 'node:process';
import type { Worker } from 'node:worker_threads';
import { rebuild } from '../../src/app/rebuild.ts';
import { loadConfig } from '../../src/config.ts';
import { createLog } from '../../src/lib/log.ts';
import { systemClock } from '../../src/lib/timing.ts';

/**
 * A process that rebuilds with threads and kills itself at the nth answer of one of them: `node rebuild-until.ts <n>`.
 */
const [, , nth = '1'] = argv;
let left = Number(nth);

// A killed process does not save its compile cache.
flushCompileCache();
process.on('worker', (worker: Worker) => {
  worker.on('message', () => {
    if (--left === 0) kill(pid, 'SIGKILL');
  });
});
const log = createLog({ level: 'error', clock: systemClock, write: (line) => process.stderr.write(line) });
await rebuild({ config: loadConfig(env).config, clock: systemClock, log }, { threads: 1 });
