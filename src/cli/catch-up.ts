import { setTimeout as sleep } from 'node:timers/promises';
import type { ImportProgress } from '../api/server.ts';
import type { ImportReport } from '../app/import.ts';
import type { App } from '../app/open-app.ts';
import { FuelError } from '../domain/errors.ts';
import type { Clock } from '../domain/ports.ts';
import { fitWidth } from '../lib/terminal-text.ts';
import { formatBytes, formatDuration, plural } from '../reading/format.ts';
import type { CommandContext } from './command.ts';
import type { Terminal } from './terminal.ts';

const REDRAW_MS = 100;
const BAR_COLUMNS = 24;
const CLEAR_LINE = '\r\u001b[2K';

interface ProgressBar {
  show(progress: ImportProgress): void;
  clear(): void;
}

/** One line at the bottom of the terminal; no output unless it is interactive. */
export function createProgressBar(terminal: Terminal, clock: Clock): ProgressBar {
  if (!terminal.isInteractive) return { show: () => {}, clear: () => {} };
  const startedMs = clock.monotonicMs();
  let drawnMs = Number.NEGATIVE_INFINITY;
  return {
    show: (progress) => {
      const nowMs = clock.monotonicMs();
      if (nowMs - drawnMs < REDRAW_MS) return;
      drawnMs = nowMs;
      terminal.err(CLEAR_LINE + fitWidth(describe(progress, nowMs - startedMs), terminal.columns - 1));
    },
    clear: () => terminal.err(CLEAR_LINE),
  };
}

function describe(progress: ImportProgress, elapsedMs: number): string {
  if (progress.phase === 'importing') {
    const { bytes_done: done, bytes_total: total } = progress;
    if (total === 0) return 'Importing…';
    const rate = done / Math.max(elapsedMs / 1_000, 0.001);
    const msLeft = (Math.max(0, total - done) / Math.max(rate, 1)) * 1_000;
    return `Importing ${bar(done, total)} ${formatBytes(done)} of ${formatBytes(total)}, ${formatBytes(rate)}/s, ${formatDuration(msLeft)} left`;
  }
  if (progress.phase === 'indexing') {
    const { sessions_indexed: done, sessions_to_index: total } = progress;
    return `Indexing  ${bar(done, total)} ${done} of ${plural(total, 'session')}`;
  }
  return 'Scanning for sessions…';
}

function bar(done: number, total: number): string {
  const filled = total === 0 ? BAR_COLUMNS : Math.min(BAR_COLUMNS, Math.round((done / total) * BAR_COLUMNS));
  return '█'.repeat(filled) + '░'.repeat(BAR_COLUMNS - filled);
}

/** Shows a progress bar while a long task runs. */
export async function withProgress<T>(
  { terminal, clock, signal }: Pick<CommandContext, 'terminal' | 'clock' | 'signal'>,
  run: (options: {
    readonly signal: AbortSignal;
    readonly onProgress: (progress: ImportProgress) => void;
  }) => Promise<T>,
): Promise<T> {
  const bar = createProgressBar(terminal, clock);
  try {
    return await run({ signal, onProgress: bar.show });
  } finally {
    bar.clear();
  }
}

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
  if (context.signal.aborted) throw interrupted('The import was interrupted.');
  return report;
}

/** The error for a command that was interrupted while it changed the store. */
export function interrupted(
  message: string,
  hint = 'Run the command again; it continues where it stopped.',
): FuelError {
  return new FuelError('interrupted', message, { hint });
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

/** Whether the object store cannot be used: nothing can be imported, but the database and the transcripts can be read. */
export function isObjectStoreAway(error: unknown, { config }: Pick<App, 'config'>): error is FuelError {
  return config.s3Bucket !== null && error instanceof FuelError && error.code === 'blob_unavailable';
}

const RETRY_MS = 500;

/** Waits while another process imports, then imports again: only our own run can confirm that everything is done. */
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

/** Fails a command with unfinished work, so that no script takes it for complete. Errors: interrupted, incomplete. */
export function refuseUnfinished(signal: AbortSignal, left: number): void {
  if (signal.aborted) throw interrupted('Interrupted before all work was done.');
  if (left === 0) return;
  throw new FuelError('incomplete', `${plural(left, 'session or file is', 'sessions or files are')} incomplete.`, {
    hint: 'Fix the cause and run the command again. `fuel-code recover --dry-run` lists what is left; `fuel-code doctor` checks the installation.',
  });
}
