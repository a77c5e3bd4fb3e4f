import { type ErrorCode, type FuelError, toFuelError } from '../domain/errors.ts';
import type { StepName, StepOutcome, StepReport } from '../domain/pipeline.ts';
import type { Clock } from '../domain/ports.ts';

/** Runs steps and records the result of each. */
export interface StepLog {
  run<T>(step: StepName, work: () => Promise<T>): Promise<T>;
  reports(): readonly StepReport[];
}

export function createStepLog(clock: Clock): StepLog {
  const reports: StepReport[] = [];
  return {
    run: async (step, work) => {
      const startMs = clock.monotonicMs();
      const note = (outcome: StepOutcome, error: FuelError | null) => {
        const durationMs = clock.monotonicMs() - startMs;
        reports.push({ step, outcome, errorCode: error?.code ?? null, error: error?.message ?? null, durationMs });
      };
      try {
        const result = await work();
        note('done', null);
        return result;
      } catch (thrown) {
        note(isAway(thrown) ? 'waits' : 'failed', toFuelError(thrown));
        throw thrown;
      }
    },
    reports: () => reports,
  };
}

const AWAY: ReadonlySet<ErrorCode> = new Set([
  'store_unavailable',
  'blob_unavailable',
  'disk_full',
  'busy',
  'data_folder_moved',
]);

/** The data is not at fault: the store or the archive is unavailable, the disk is full, or another process is busy. */
export function isAway(error: unknown): boolean {
  return AWAY.has(toFuelError(error).code);
}
