import { getPriority } from 'node:os';
import { runWorker } from '../../src/app/worker.ts';
import { loadConfig } from '../../src/config.ts';
import { createLog } from '../../src/lib/log.ts';
import { systemClock } from '../../src/lib/timing.ts';

// A worker in a separate process with a short idle time: prints its priority before and after, and exits.
const { config } = loadConfig(process.env);
const before = getPriority();
const log = createLog({ level: 'error', clock: systemClock, write: (line) => process.stderr.write(line) });
const { signal } = new AbortController();
const ran = await runWorker({ config, clock: systemClock, log, signal, pid: process.pid, idleMs: 50 });
console.log(JSON.stringify({ ran, before, after: getPriority() }));
