import { FuelError } from '../domain/errors.ts';
import type { ImportReport } from '../import.ts';
import type { Clock } from '../domain/ports.ts';
import { catchUp } from './catch-up.ts';
import { type Command, type CommandContext, JSON_OPTION } from './command.ts';
import { formatBytes } from './format.ts';
import { visibleLine } from '../lib/visible.ts';

export const command: Command = {
  name: 'backfill',
  about: 'Import every transcript there is and wait until all is stored and indexed.',
  options: { json: JSON_OPTION },
  examples: [
    ['fuel-code backfill', 'Import with a progress bar.'],
    ['fuel-code backfill --json', 'Import, then print one JSON object.'],
  ],
  run: async (context, args) => {
    await using app = await context.openApp();
    const startedMs = context.clock.monotonicMs();
    const report = await importOrWait(context, () => catchUp(context, app, { rowsOnly: false }));
    const { sessions } = await app.reads.status();
    const result = { ...report, sessions, duration_ms: elapsed(context.clock, startedMs) };
    context.terminal.out(args.flags.has('json') ? `${JSON.stringify(result, null, 2)}\n` : render(result));
    if (context.signal.aborted)
      throw new FuelError('busy', 'The import was stopped.', { hint: 'Run it again to go on.' });
  },
};

const RETRY_MS = 500;

/** Another process may be importing: it does our work, but only our own run knows that all of it is done. */
async function importOrWait(
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

function elapsed(clock: Clock, startedMs: number): number {
  return Math.round(clock.monotonicMs() - startedMs);
}

function render(result: ImportReport & { readonly sessions: number; readonly duration_ms: number }): string {
  const { files, files_changed, bytes_read, sessions, sessions_parsed, duration_ms, failed, skipped } = result;
  const lines = [
    `${files} files, ${files_changed} of them new or changed, ${formatBytes(bytes_read)} read in ${(duration_ms / 1_000).toFixed(1)} s.`,
    `${sessions} sessions are kept, ${sessions_parsed} of them were brought up to date.`,
    ...failed.map(({ path, error }) => `Failed: ${visibleLine(path)}: ${visibleLine(error)}`),
    ...skipped.map(({ path, reason }) => `Not read: ${visibleLine(path)}: ${visibleLine(reason)}`),
  ];
  return `${lines.join('\n')}\n`;
}
