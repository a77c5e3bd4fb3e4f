import { flushCompileCache } from 'node:module';
import process, { argv, env, kill, pid } from 'node:process';
import { type ImportDeps, runImport } from '../../src/app/import.ts';
import { openApp } from '../../src/app/open-app.ts';
import { findChanges } from '../../src/archive/find-changes.ts';
import { watchStopSignals } from '../../src/cli/stop-signals.ts';
import { loadConfig } from '../../src/config.ts';
import { noteInterrupted } from '../../src/lib/data-folder.ts';
import { createLog } from '../../src/lib/log.ts';
import { systemClock } from '../../src/lib/timing.ts';
import type { Engine } from '../../src/store/engine.ts';

/**
 * A process that imports and receives a signal during a step of one session, which then never finishes: `node
 * crash-in-session.ts <step> <session> <signal>`.
 */
const [, , step = '', sessionId = '', signal = 'SIGKILL'] = argv;
const { config } = loadConfig(env);
const log = createLog({ level: 'error', clock: systemClock, write: (line) => process.stderr.write(line) });

watchStopSignals(process, (code) => {
  noteInterrupted();
  process.exit(code);
});

function die(): Promise<never> {
  kill(pid, signal);
  return new Promise(() => {});
}

/** Sends the signal before the first transaction commits in which the session is at that step. */
function crashing({ transaction, ...engine }: Engine): Engine {
  return {
    ...engine,
    transaction: (work) =>
      transaction(async (tx) => {
        const result = await work(tx);
        const found = await tx
          .selectFrom('sessions')
          .select('id')
          .where('id', '=', sessionId)
          .where('claim_work', '=', step)
          .where('claim_holder', 'is not', null)
          .executeTakeFirst();
        return found === undefined ? result : die();
      }),
  };
}

// A killed process does not save its compile cache.
flushCompileCache();
await using app = await openApp({ config, clock: systemClock, log });
const line = (await app.openPipeline()) as ImportDeps;
const deps = { ...line, engine: crashing(line.engine), rowsOnly: false, concurrency: 2, onProgress: () => {} };
await runImport(deps, await findChanges(deps));
console.log('It came to its end.');
