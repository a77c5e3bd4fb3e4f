import type { App } from '../app.ts';
import { FuelError } from '../domain/errors.ts';
import type { ImportReport } from '../import.ts';
import type { CommandContext } from './command.ts';
import { createProgressBar } from './progress.ts';

/** Brings the store up to date before a command shows it. Null when another process is at it already. */
export async function catchUp(
  { terminal, clock, signal }: CommandContext,
  app: App,
  { rowsOnly, concurrency }: { readonly rowsOnly: boolean; readonly concurrency?: number },
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
