import { createIgnoreRule } from '../capture/project-folder.ts';
import type { Config } from '../config.ts';
import { FuelError } from '../domain/errors.ts';
import type { Log } from '../lib/log.ts';
import { sweepShares } from '../share/stored-shares.ts';
import { type PurgeDeps, purgeDeleted } from './deletion/purge.ts';

interface SweepDeps extends PurgeDeps {
  readonly log: Log;
}

/** Uses a new ignore rule, so that projects excluded meanwhile are respected. Failures are retried in the next round. */
export async function sweep(deps: SweepDeps, config: Config): Promise<void> {
  const ignoresProject = createIgnoreRule(config.ignore);
  await attempt(deps, 'expired shared pages could not be removed yet', () =>
    sweepShares({ ...deps, now: () => deps.clock.now(), ignoresProject }),
  );
  await attempt(deps, 'deleted sessions could not be removed yet', () => purgeDeleted(deps));
}

async function attempt({ log }: SweepDeps, failure: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof FuelError)) throw error;
    log.warn(failure, { error: error.message });
  }
}
