/**
 * A process that drains the spool of a data folder repeatedly until it is killed: `node drain-spool.ts <home>`, with
 * DATABASE_URL or SQLITE_PATH. Prints a dot for each round that stored something.
 */
import { argv, env, stdout } from 'node:process';
import { whenReachable } from '../../src/app/round.ts';
import { openSpool } from '../../src/capture/spool/spool.ts';
import { drainSpool } from '../../src/ingest/events/drain-spool.ts';
import { systemClock } from '../../src/lib/timing.ts';
import { openStore } from '../../src/store/store.ts';
import { silentLog } from './fixed-clock.ts';
import { silentJournal } from './silent-journal.ts';

const [, , home = ''] = argv;
/** Retries like the worker: on a busy machine a server may take too long to accept a connection. */
const reach = async <T>(work: () => Promise<T>): Promise<T> =>
  (await whenReachable(work, { log: silentLog, signal: new AbortController().signal })) as T;
const store = await reach(() =>
  openStore({
    databaseUrl: env.DATABASE_URL ?? null,
    sqlitePath: env.SQLITE_PATH ?? '',
    onIdleError: (error) => {
      throw error;
    },
  }),
);
const device = { id: 'device-1', name: 'laptop', hostname: 'laptop', os: 'linux', arch: 'x64' };
for (;;) {
  const spool = openSpool(home, systemClock);
  const { accepted } = await reach(() =>
    drainSpool({ spool, engine: store.engine, journal: silentJournal, device, clock: systemClock }),
  );
  if (accepted > 0) stdout.write('.');
  await new Promise((resolve) => setImmediate(resolve));
}
