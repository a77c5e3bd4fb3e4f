import type { Log } from '../lib/log.ts';
import { FuelError } from '../domain/errors.ts';
import type { ImportProgress } from '../api/server.ts';
import type { ImportReport } from './import.ts';
import type { App } from './open-app.ts';

export interface RoundOptions {
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: ImportProgress) => void;
}

/** `busy`: another process is importing; what it leaves undone is for the next round. */
export type RoundOutcome = 'worked' | 'quiet' | 'busy';

/** One round of the background work: events of hooks, new files and unfinished sessions, shipping, expired shares. */
export async function runRound(app: App, options: RoundOptions): Promise<RoundOutcome> {
  const { log, signal } = options;
  await app.drainHooks();
  const report = await importUnlessBusy(app, options);
  for (const { path, error } of report?.failed ?? []) {
    log.warn('a file or session could not be imported', { path, error });
  }
  const shipped = await app.ship(signal);
  await app.sweepShares();
  if (report === null) return 'busy';
  const hasShipped = shipped !== null && shipped.files + shipped.events + shipped.git > 0;
  return hasShipped || report.files_changed > 0 || report.sessions_parsed > 0 ? 'worked' : 'quiet';
}

async function importUnlessBusy(app: App, { signal, onProgress }: RoundOptions): Promise<ImportReport | null> {
  try {
    return await app.importNew({ signal, ...(onProgress === undefined ? {} : { onProgress }) });
  } catch (error) {
    if (error instanceof FuelError && error.code === 'busy') return null;
    throw error;
  }
}
