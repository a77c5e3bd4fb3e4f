import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ImportReport } from '../app/import.ts';
import { listPending } from '../app/maintain.ts';
import type { App } from '../app/open-app.ts';
import { countExpiring, describeFileCounts, reportRetention } from '../app/retention.ts';
import { FILES_AT_ONCE, PENDING_REASONS, type PendingReason, type PendingSession } from '../domain/pipeline.ts';
import type { Clock } from '../domain/ports.ts';
import { fitEnd, visibleLine } from '../lib/terminal-text.ts';
import { formatBytes, plural } from '../reading/format.ts';
import { catchUp, importOrWait, refuseUnfinished } from './catch-up.ts';
import { type Command, type CommandContext, JSON_OPTION, type ParsedArguments } from './command.ts';
import { printJson, printLine, printNote, wrapLines } from './output.ts';
import { readNumber } from './parse-arguments.ts';

export const command: Command = {
  name: 'backfill',
  about: 'Import all transcripts and wait until they are stored and indexed.',
  options: {
    status: { type: 'boolean', about: 'Only show how much is archived and how much is pending.' },
    'dry-run': { type: 'boolean', excludes: ['status'], about: 'Only list the files that would be imported.' },
    concurrency: {
      type: 'string',
      value: 'N',
      about: `Number of files to archive in parallel (default ${FILES_AT_ONCE}).`,
    },
    json: JSON_OPTION,
  },
  examples: [
    ['fuel-code backfill', 'Import with a progress bar.'],
    ['fuel-code backfill --dry-run', 'List the files an import would read.'],
    ['fuel-code backfill --json', 'Import, then print one JSON object.'],
  ],
  run: async (context, args) => {
    await using app = await context.openApp();
    // Awaited here because the store is closed as soon as this function returns.
    if (args.flags.has('status')) return await showStatus(context, app, args);
    if (args.flags.has('dry-run')) return await showPlan(context, app, args);
    const concurrency = readNumber(args, 'concurrency', { min: 1, max: 64, otherwise: FILES_AT_ONCE });
    const startedMs = context.clock.monotonicMs();
    const report = await importOrWait(context, () => catchUp(context, app, { rowsOnly: false, concurrency }));
    const pending = await waitForOthers(context, app);
    const { sessions, claude_home, claude_home_exists } = await app.get('/status');
    const counts = await countFound(app, context.clock.now());
    const result = { ...report, ...counts, pending, sessions, duration_ms: elapsed(context.clock, startedMs) };
    const { terminal } = context;
    if (args.flags.has('json')) printJson(terminal, result);
    else terminal.out(wrapLines(terminal, render(result)));
    if (!claude_home_exists)
      printNote(terminal, `No Claude home found at ${claude_home}. Set CLAUDE_CONFIG_DIR to your Claude home.`);
    refuseUnfinished(context.signal, report.failed.length + pending.length);
  },
};

const MAX_PENDING = 1_000;

const MAX_WAITS = 20;
const WAIT_MS = 500;

/**
 * Another process may still be working on sessions that this run skipped or found finished. Failed sessions are not
 * awaited.
 */
async function waitForOthers(context: CommandContext, app: App): Promise<readonly PendingSession[]> {
  for (let waits = 0; ; waits++) {
    const pending = (await listPending(app, MAX_PENDING)).filter(({ reasons }) => reasons.some(isUnfinished));
    const isSettled = pending.every(({ reasons }) => reasons.includes('failed'));
    if (isSettled || waits === MAX_WAITS || context.signal.aborted) return pending;
    await sleep(WAIT_MS, undefined, { signal: context.signal }).catch(() => {});
    await importOrWait(context, () => catchUp(context, app, { rowsOnly: false }));
  }
}

/**
 * A session may still be running, and the repositories of other machines cannot be read here; everything else must be
 * finished now.
 */
function isUnfinished(reason: PendingReason): boolean {
  return reason !== 'never_ended' && reason !== 'not_correlated' && reason !== 'being_worked_on';
}

/** Counts for all files found: archived, or the reason why not. */
async function countFound(app: App, now: Date) {
  const { found, archived, waiting, empty, empty_files, ignored } = await reportRetention(app, now);
  return { found, archived, waiting, empty, empty_files, ignored };
}

async function showStatus({ terminal, clock }: CommandContext, app: App, args: ParsedArguments): Promise<void> {
  const report = await reportRetention(app, clock.now());
  const { homes, files, found, archived, waiting, empty, empty_files, skipped, ignored, expiring, only_here } = report;
  const { sessions, import: progress } = await app.get('/status');
  const counts = { homes, files, found, archived, waiting, empty, empty_files, skipped, ignored };
  const { sessions_to_index } = progress;
  const status = { sessions, ...counts, expiring: countExpiring(expiring), only_here, sessions_to_index };
  if (args.flags.has('json')) return printJson(terminal, status);
  printLine(terminal, `${sentence(describeFileCounts(report))} ${plural(sessions, 'session')} stored.`);
  if (sessions_to_index > 0) printLine(terminal, `${plural(sessions_to_index, 'session')} not indexed yet.`);
}

async function showPlan({ terminal }: CommandContext, app: App, args: ParsedArguments): Promise<void> {
  const changed = await app.findChanges();
  const plan = changed.map(({ file, known, sessionId }) => {
    const bytes = Math.max(0, file.sizeBytes - (known?.archivedBytes ?? 0));
    return { path: file.path, kind: file.kind, session_id: sessionId, bytes, is_new: known === null };
  });
  if (args.flags.has('json')) return printJson(terminal, { files: plan });
  for (const { path, bytes } of plan)
    terminal.out(`${formatBytes(bytes).padStart(9)}  ${fitEnd(visibleLine(path), terminal.columns - 11)}\n`);
  const total = plan.reduce((sum, { bytes }) => sum + bytes, 0);
  printLine(terminal, `${plural(plan.length, 'file')}, ${formatBytes(total)} to read.`);
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

function elapsed(clock: Clock, startedMs: number): number {
  return Math.round(clock.monotonicMs() - startedMs);
}

type Result = ImportReport &
  Awaited<ReturnType<typeof countFound>> & {
    readonly pending: readonly PendingSession[];
    readonly sessions: number;
    readonly duration_ms: number;
  };

function render(result: Result): string {
  const { files_changed, bytes_read, sessions_parsed, duration_ms, failed, skipped, pending } = result;
  const isNamed = new Set(failed.map(({ path }) => path));
  const lines = [
    `${sentence(describeFileCounts(result))} ${files_changed} new or changed: ${formatBytes(bytes_read)} read in ${(duration_ms / 1_000).toFixed(1)} s.`,
    `${plural(sessions_parsed, 'session')} parsed.`,
    ...failed.map(({ path, error }) => `Failed: ${visibleLine(path)}: ${visibleLine(error)}`),
    ...pending
      .filter(({ id }) => !isNamed.has(id))
      .map(({ id, reasons, error }) => {
        const why = error ?? reasons.map((reason) => PENDING_REASONS[reason]).join(' ');
        return `Pending: ${id}: ${visibleLine(why)}`;
      }),
    ...skipped.map(({ root, path, reason }) => `Skipped: ${visibleLine(join(root, path))}: ${visibleLine(reason)}`),
    ...emptyLines(result.empty_files),
  ];
  return `${lines.join('\n')}\n`;
}

const MAX_EMPTY_SHOWN = 20;

function emptyLines(paths: readonly string[]): string[] {
  const shown = paths.slice(0, MAX_EMPTY_SHOWN).map((path) => `Empty: ${visibleLine(path)}`);
  return paths.length > shown.length ? [...shown, `and ${paths.length - shown.length} more empty files`] : shown;
}
