import type { ImportProgress } from '../api/server.ts';
import type { Clock } from '../domain/ports.ts';
import { fitWidth } from '../lib/text-width.ts';
import { formatBytes, formatDuration } from '../reading/format.ts';
import type { CommandContext } from './command.ts';
import type { Terminal } from './terminal.ts';

const REDRAW_MS = 100;
const BAR_COLUMNS = 24;
const CLEAR_LINE = '\r\u001b[2K';

export interface ProgressBar {
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
    const rate = done / Math.max(elapsedMs / 1_000, 0.001);
    const msLeft = (Math.max(0, total - done) / Math.max(rate, 1)) * 1_000;
    return `Importing ${bar(done, total)} ${formatBytes(done)} of ${formatBytes(total)}, ${formatBytes(rate)}/s, ${formatDuration(msLeft)} left`;
  }
  if (progress.phase === 'indexing') {
    const { sessions_indexed: done, sessions_to_index: total } = progress;
    return `Indexing  ${bar(done, total)} ${done} of ${total} sessions`;
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
