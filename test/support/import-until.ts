import { flushCompileCache } from 'node:module';
import { argv, env, kill, pid } from 'node:process';
import { runImport } from '../../src/app/import.ts';
import { openApp } from '../../src/app/open-app.ts';
import { findChanges } from '../../src/archive/find-changes.ts';
import { loadConfig } from '../../src/config.ts';
import { createLog } from '../../src/lib/log.ts';
import { systemClock } from '../../src/lib/timing.ts';
import { type CrashPoint, watchedDeps } from './crash-points.ts';

/**
 * A process that imports and sends itself a signal when it reaches a point for the nth time: `node import-until.ts
 * <point> <n> <signal> [threads]`, with threads at any point. It prints a line if it finishes anyway.
 */
const [, , point = '', nth = '1', signal = 'SIGKILL', threads] = argv;
const { config } = loadConfig(env);
const log = createLog({ level: 'error', clock: systemClock, write: (line) => process.stderr.write(line) });
let left = Number(nth);

await using app = await openApp({ config, clock: systemClock, log });
const stop = (reached: CrashPoint) => {
  if (reached === point && --left === 0) kill(pid, signal);
};
const deps = await watchedDeps(app, stop, { point, hasThreads: threads === 'threads' });
// A killed process does not save its compile cache.
flushCompileCache();
const { failed } = await runImport({ ...deps, signal: new AbortController().signal }, await findChanges(deps));
console.log(JSON.stringify({ failed }));
