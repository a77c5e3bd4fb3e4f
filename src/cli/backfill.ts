import type { App } from '../app.ts';
import type { ImportReport } from '../import.ts';
import type { Clock } from '../domain/ports.ts';
import { reportRetention } from '../retention-report.ts';
import { catchUp, importOrWait } from './catch-up.ts';
import { type Command, type CommandContext, JSON_OPTION, type ParsedArguments } from './command.ts';
import { readNumber } from './parse-arguments.ts';
import { formatBytes } from './format.ts';
import { fitEnd } from '../lib/text-width.ts';
import { visibleLine } from '../lib/visible.ts';
import { inColumns, say } from './say.ts';

export const command: Command = {
  name: 'backfill',
  about: 'Import every transcript there is and wait until all is stored and indexed.',
  options: {
    status: { type: 'boolean', about: 'Only say how much is archived and how much waits.' },
    'dry-run': { type: 'boolean', about: 'Only list the files that would be read.' },
    concurrency: { type: 'string', value: 'N', about: 'Files archived at a time (default 8).' },
    json: JSON_OPTION,
  },
  examples: [
    ['fuel-code backfill', 'Import with a progress bar.'],
    ['fuel-code backfill --dry-run', 'See what an import would read.'],
    ['fuel-code backfill --json', 'Import, then print one JSON object.'],
  ],
  run: async (context, args) => {
    await using app = await context.openApp();
    // Awaited here: the store is closed as soon as this function returns.
    if (args.flags.has('status')) return await showStatus(context, app, args);
    if (args.flags.has('dry-run')) return await showPlan(context, app, args);
    const concurrency = readNumber(args, 'concurrency', { min: 1, max: 64, otherwise: DEFAULT_CONCURRENCY });
    const startedMs = context.clock.monotonicMs();
    const report = await importOrWait(context, () => catchUp(context, app, { rowsOnly: false, concurrency }));
    const { sessions } = await app.reads.status();
    const result = { ...report, sessions, duration_ms: elapsed(context.clock, startedMs) };
    const { terminal } = context;
    if (args.flags.has('json')) terminal.out(`${JSON.stringify(result, null, 2)}\n`);
    else terminal.out(inColumns(terminal, render(result)));
  },
};

const DEFAULT_CONCURRENCY = 8;

async function showStatus({ terminal, clock }: CommandContext, app: App, args: ParsedArguments): Promise<void> {
  const { files, waiting, expiring, only_here } = await reportRetention(app, clock.now());
  const { sessions, import: progress } = await app.reads.status();
  const status = { sessions, files, waiting, expiring, only_here, sessions_to_index: progress.sessions_to_index };
  if (args.flags.has('json')) return terminal.out(`${JSON.stringify(status, null, 2)}\n`);
  say(terminal, `${files - waiting} of ${files} files are archived, ${sessions} sessions are kept.`);
  if (progress.sessions_to_index > 0) say(terminal, `${progress.sessions_to_index} sessions wait to be indexed.`);
}

async function showPlan({ terminal }: CommandContext, app: App, args: ParsedArguments): Promise<void> {
  const changed = await app.findChanges();
  const plan = changed.map(({ file, known, sessionId }) => {
    const bytes = Math.max(0, file.sizeBytes - (known?.archivedBytes ?? 0));
    return { path: file.path, kind: file.kind, session_id: sessionId, bytes, is_new: known === null };
  });
  if (args.flags.has('json')) return terminal.out(`${JSON.stringify(plan, null, 2)}\n`);
  for (const { path, bytes } of plan)
    terminal.out(`${formatBytes(bytes).padStart(9)}  ${fitEnd(visibleLine(path), terminal.columns - 11)}\n`);
  const total = plan.reduce((sum, { bytes }) => sum + bytes, 0);
  say(terminal, `${plan.length} files, ${formatBytes(total)} would be read.`);
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
