import { type RebuildReport, rebuild } from '../app/rebuild.ts';
import { FuelError } from '../domain/errors.ts';
import { plural } from '../reading/format.ts';
import { createProgressBar } from './catch-up.ts';
import { type Command, JSON_OPTION } from './command.ts';
import { printJson, printLine } from './output.ts';
import type { Terminal } from './terminal.ts';

export const command: Command = {
  name: 'rebuild',
  about: 'Rebuild the database (sessions, messages, costs, full-text index) from the archive.',
  options: { json: JSON_OPTION },
  examples: [
    ['fuel-code rebuild', 'Rebuild a lost or damaged database.'],
    ['fuel-code rebuild --json', 'Print JSON; the exit code is 7 if anything is missing.'],
  ],
  run: async ({ loaded, clock, log, terminal, signal }, args) => {
    const bar = createProgressBar(terminal, clock);
    const report = await rebuild({ config: loaded.config, clock, log }, { signal, onProgress: bar.show }).finally(
      bar.clear,
    );
    if (args.flags.has('json')) printJson(terminal, report);
    else render(terminal, report);
    refuseIncomplete(report);
  },
};

function render(terminal: Terminal, report: RebuildReport): void {
  const { captures_replayed, captures_from_database, sessions_parsed, rows_kept } = report;
  const captures = plural(captures_replayed, 'capture was', 'captures were');
  printLine(
    terminal,
    `${captures} read from the archive, ${plural(sessions_parsed, 'session was', 'sessions were')} parsed.`,
  );
  if (captures_from_database > 0) {
    const only = plural(captures_from_database, 'capture was', 'captures were');
    printLine(terminal, `${only} known only to the old database and written to the journal again.`);
  }
  if (rows_kept > 0) printLine(terminal, `${plural(rows_kept, 'row was', 'rows were')} copied from the old database.`);
  for (const problem of problemsOf(report)) printLine(terminal, problem);
  if (report.set_aside !== null) printLine(terminal, `The old database is kept as ${report.set_aside}.`);
}

function problemsOf({ failed, missing_blobs, damaged_journal_lines, rows_lost }: RebuildReport): readonly string[] {
  return [
    ...failed.map(({ path, error }) => `Failed: ${path}: ${error}`),
    ...missing_blobs.map((sha256) => `Missing: blob ${sha256}`),
    ...damaged_journal_lines.map((place) => `Damaged: ${place} of the journal`),
    ...rows_lost.map((problem) => `Lost from the old database: ${problem}`),
  ];
}

/** Damaged journal lines do no harm if the old database was readable and still had their contents. */
function refuseIncomplete(report: RebuildReport): void {
  const { failed, missing_blobs, damaged_journal_lines, rows_lost, is_database_whole } = report;
  const parts = [
    ...(failed.length > 0 ? [plural(failed.length, 'session or file failed', 'sessions or files failed')] : []),
    ...(missing_blobs.length > 0 ? [plural(missing_blobs.length, 'blob is missing', 'blobs are missing')] : []),
    ...(damaged_journal_lines.length > 0 && !is_database_whole
      ? [plural(damaged_journal_lines.length, 'line of the journal was damaged', 'lines of the journal were damaged')]
      : []),
    ...(rows_lost.length > 0 ? ['parts of the old database could not be read'] : []),
  ];
  if (parts.length === 0) return;
  throw new FuelError(
    'incomplete',
    `The new database is in use, but not everything could be recovered: ${parts.join('; ')}.`,
    {
      hint: 'Restore the missing archive data from a backup, or run `fuel-code verify --heal` to look for it in the Claude home; then run rebuild again.',
    },
  );
}
