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

const RETRY_MS = 500;

/** Another process may be importing: it does our work, but only our own run knows that all of it is done. */
export async function importOrWait(
  { terminal, signal }: CommandContext,
  run: () => Promise<ImportReport | null>,
): Promise<ImportReport> {
  for (let isFirst = true; ; isFirst = false) {
    const report = await run();
    if (report !== null) return report;
    if (signal.aborted) throw new FuelError('busy', 'The import was stopped while another one was running.');
    if (isFirst) terminal.err('Another fuel-code is importing; waiting for it.\n');
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}
