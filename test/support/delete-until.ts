import { flushCompileCache } from 'node:module';
import { argv, env, kill, pid } from 'node:process';
import { deleteSession } from '../../src/app/deletion/deletions.ts';
import { type PurgeDeps, purgeDeleted } from '../../src/app/deletion/purge.ts';
import { openApp } from '../../src/app/open-app.ts';
import { loadConfig } from '../../src/config.ts';
import { fixedClock, silentLog } from './fixed-clock.ts';

/**
 * A process that deletes a session and kills itself after the given number of externally visible steps: a write to either
 * database file, a transaction, a blob, a line of the journal. `node delete-until.ts <session> <steps>`. If it finishes
 * first, it prints the result.
 */
const [, , sessionId = '', steps = '0'] = argv;
const { config } = loadConfig(env);
let left = Number(steps);

/** Kills the process right after the step: its writes exist, and nothing after it does. */
function counted<A extends readonly unknown[], T>(act: (...args: A) => Promise<T>): (...args: A) => Promise<T> {
  return async (...args) => {
    const result = await act(...args);
    if (left-- <= 0) kill(pid, 'SIGKILL');
    return result;
  };
}

// A killed process does not save its compile cache.
flushCompileCache();
await using app = await openApp({ config, clock: fixedClock, log: silentLog });
const { blobs, journal, device, store } = app;
const { engine } = store;
const deps: PurgeDeps = {
  device,
  home: config.home,
  clock: fixedClock,
  blobs: { ...blobs, put: counted(blobs.put), delete: counted(blobs.delete) },
  journal: { ...journal, append: counted(journal.append), erase: counted(journal.erase) },
  engine: {
    ...engine,
    transaction: counted(engine.transaction),
    writeSearch: counted(engine.writeSearch),
    scrub: counted(engine.scrub),
  },
};
if (sessionId !== '') await deleteSession(deps, sessionId, { afterDays: 0 });
console.log(await purgeDeleted(deps));
