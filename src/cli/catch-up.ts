import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../app/open-app.ts';
import { FuelError } from '../domain/errors.ts';
import type { ImportReport } from '../app/import.ts';
import type { CommandContext } from './command.ts';
import { createProgressBar } from './progress.ts';

interface CatchUpOptions {
  readonly rowsOnly: boolean;
  readonly concurrency?: number;
}

/**
 * Brings the store up to date before a command shows it. Null when another process is importing. Errors: interrupted,
 * since the output of a partial import would look complete.
 */
export async function catchUp(
  context: CommandContext,
  app: App,
  options: CatchUpOptions,
): Promise<ImportReport | null> {
  const report = await importUpdates(context, app, options);
  if (context.signal.aborted) throw interrupted('The import was interrupted before the command could run.');
  return report;
}

/** The error for a command that was interrupted while it changed the store. */
export function interrupted(message: string): FuelError {
  return new FuelError('interrupted', message, {
    hint: 'Run the command again; the import continues where it stopped.',
  });
}

/** Imports new files, or some of them if the signal is aborted first. Null when another process is importing. */
export async function importUpdates(
  { terminal, clock, signal }: CommandContext,
  app: App,
  { rowsOnly, concurrency }: CatchUpOptions,
): Promise<ImportReport | null> {
  const progress = createProgressBar(terminal, clock);
  try {
    await app.drainHooks();
    return await app.importNew({
      rowsOnly,
      signal,
      onProgress: progress.show,
      ...(concurrency === undefined ? {} : { concurrency }),
    });
  } catch (error) {
    if (error instanceof FuelError && error.code === 'busy') return null;
    throw error;
  } finally {
    progress.clear();
  }
}

const RETRY_MS = 500;

/** Waits while another process imports, then imports again: only our own run can tell that everything is done. */
export async function importOrWait(
  { terminal, signal }: CommandContext,
  run: () => Promise<ImportReport | null>,
): Promise<ImportReport> {
  for (let isFirst = true; ; isFirst = false) {
    const report = await run();
    if (report !== null) return report;
    if (isFirst) terminal.err('Another fuel-code process is importing; waiting for it to finish.\n');
    await sleep(RETRY_MS, undefined, { signal }).catch(() => {});
    if (signal.aborted) throw interrupted('Interrupted while waiting for another import to finish.');
  }
}
