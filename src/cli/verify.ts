import { heal, type VerifyReport, verify } from '../app/archive.ts';
import { FuelError } from '../domain/errors.ts';
import { formatBytes, plural, unknownCaptures } from '../reading/format.ts';
import { type Command, JSON_OPTION } from './command.ts';
import { printJson, printLine } from './output.ts';
import type { Terminal } from './terminal.ts';

export const command: Command = {
  name: 'verify',
  about:
    'Check the database, compare it with the journal and the blobs, and verify every archived byte against its SHA-256.',
  options: {
    heal: {
      type: 'boolean',
      about: 'First restore damaged or lost blobs from their source files and repair the journal.',
    },
    json: JSON_OPTION,
  },
  examples: [
    ['fuel-code verify', 'Check that everything ever captured is intact.'],
    ['fuel-code verify --heal', 'Repair what can be repaired, then check.'],
    ['fuel-code verify --json', 'Print JSON; the exit code is 7 if anything is damaged.'],
  ],
  run: async ({ openApp, terminal, signal }, args) => {
    await using app = await openApp();
    const isJson = args.flags.has('json');
    if (args.flags.has('heal')) {
      const { blobs, captures } = await heal(app);
      if (!isJson) {
        printLine(terminal, `${plural(blobs, 'blob was', 'blobs were')} restored from source files.`);
        printLine(terminal, `${plural(captures, 'capture was', 'captures were')} written to the journal again.`);
      }
    }
    const report = await verify(app, signal);
    if (isJson) printJson(terminal, report);
    else render(terminal, report);
    refuseDamage(report);
  },
};

function render(terminal: Terminal, report: VerifyReport): void {
  const { files, generations, blobs, bytes, problems, unused_blobs } = report;
  printLine(
    terminal,
    `Checked ${plural(files, 'file')} in ${plural(generations, 'version')}: ${formatBytes(bytes)} in ${plural(blobs, 'blob')}.`,
  );
  for (const finding of findingsOf(report)) printLine(terminal, finding);
  for (const { path, generation, problem } of problems) {
    const version = generation === null ? '' : ` version ${generation}`;
    printLine(terminal, `Damaged: ${path}${version}: ${problem}`);
  }
  if (unused_blobs > 0) {
    printLine(terminal, `${plural(unused_blobs, 'blob belongs', 'blobs belong')} to no known file; this is harmless.`);
  }
  if (problems.length === 0 && findingsOf(report).length === 0) printLine(terminal, 'All archived data is intact.');
}

function findingsOf({ database, journal }: VerifyReport): readonly string[] {
  const { damaged, unknown, missing, missing_events } = journal;
  return [
    ...database.map((finding) => `Damaged database: ${finding}`),
    ...damaged.map((place) => `Damaged: ${place} of the journal`),
    ...(unknown > 0 ? [unknownCaptures(unknown)] : []),
    ...(missing > 0
      ? [`${plural(missing, 'capture')} in the database ${missing === 1 ? 'is' : 'are'} missing from the journal.`]
      : []),
    ...(missing_events > 0
      ? [
          `${plural(missing_events, 'hook event')} in the database ${missing_events === 1 ? 'is' : 'are'} missing from the journal.`,
        ]
      : []),
  ];
}

function refuseDamage({ problems, generations, database, journal }: VerifyReport): void {
  if (database.length > 0) {
    throw new FuelError('store_corrupt', 'The database is damaged.', {
      hint: 'Run `fuel-code rebuild` to create a new database from the archive; the old one is kept.',
    });
  }
  if (problems.length > 0) {
    throw new FuelError(
      'blob_corrupt',
      `${problems.length} of ${plural(generations, 'archived version')} ${problems.length === 1 ? 'is' : 'are'} damaged.`,
      {
        hint: 'Run `fuel-code verify --heal` to restore what the source files still contain; restore the rest from a backup.',
      },
    );
  }
  if (journal.unknown > 0) throw new FuelError('incomplete', unknownCaptures(journal.unknown));
  if (journal.damaged.length > 0 || journal.missing > 0 || journal.missing_events > 0) {
    throw new FuelError('incomplete', 'The archive journal is damaged or incomplete.', {
      hint: 'Run `fuel-code verify --heal` to repair it from the database.',
    });
  }
}
