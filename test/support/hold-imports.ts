import { openApp } from '../../src/app/open-app.ts';
import { loadConfig } from '../../src/config.ts';
import { systemClock } from '../../src/lib/timing.ts';
import { acquireLease, importLease } from '../../src/store/queries/claims/leases.ts';
import { silentLog } from './fixed-clock.ts';

const HOUR_MS = 3_600_000;

/**
 * Imports what is there, then claims all imports into this data folder. A worker waits for the process that imports, so
 * from now on workers stay until they are stopped, however slow the machine is. They still take in hook events.
 */
export async function holdImports(env: Readonly<Record<string, string>>): Promise<void> {
  const { config } = loadConfig(env);
  await using app = await openApp({ config, clock: systemClock, log: silentLog });
  await app.importNew();
  await acquireLease(app.store.engine, importLease(app.device.id), 'a test', HOUR_MS);
}
