import { heal, verify, type VerifyReport } from '../app/verify.ts';
import { FuelError } from '../domain/errors.ts';
import { visibleLine } from '../lib/visible.ts';
import { formatBytes, plural } from '../reading/format.ts';
import { unknownCaptures } from '../reading/sentences.ts';
import { type Command, JSON_OPTION } from './command.ts';
import { printJson } from './json.ts';
import { say } from './say.ts';
import type { Terminal } from './terminal.ts';

export const command: Command = {
  name: 'verify',
  about:
    'Check the database, compare it with the journal and the blobs, and read every archived byte again to compare it with its SHA-256.',
  options: {
    heal: {
      type: 'boolean',
      about: 'First store damaged or lost blobs again where the source file still has them, and repair the journal.',
    },
    json: JSON_OPTION,
  },
  examples: [
    ['fuel-code verify', 'Is everything that was ever captured still there?'],
    ['fuel-code verify --heal', 'Mend what can be mended, then look.'],
    ['fuel-code verify --json', 'The same for a program; the exit code is 7 when something is damaged.'],
  ],
  run: async ({ openApp, terminal, signal }, args) => {
    await using app = await openApp();
    const isJson = args.flags.has('json');
    if (args.flags.has('heal')) {
      const { blobs, captures } = await heal(app);
      if (!isJson) {
        say(terminal, `${plural(blobs, 'blob was', 'blobs were')} stored again from their source.`);
        say(terminal, `${plural(captures, 'capture was', 'captures were')} written to the journal again.`);
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
  say(terminal, `${files} files in ${generations} versions, ${formatBytes(bytes)} in ${blobs} blobs were read.`);
  for (const finding of findingsOf(report)) say(terminal, finding);
  for (const { path, generation, problem } of problems) {
    const version = generation === null ? '' : ` version ${generation}`;
    terminal.out(`Damaged: ${visibleLine(path)}${version}: ${visibleLine(problem)}\n`);
  }
  if (unused_blobs > 0) {
    say(
      terminal,
      `${plural(unused_blobs, 'blob belongs', 'blobs belong')} to no known file; nothing is wrong with that.`,
    );
  }
  if (problems.length === 0 && findingsOf(report).length === 0) say(terminal, 'All of it is as it was captured.');
}

function findingsOf({ database, journal }: VerifyReport): readonly string[] {
  const { damaged, unknown, missing, missing_events } = journal;
  return [
    ...database.map((finding) => `Damaged database: ${finding}`),
    ...damaged.map((place) => `Damaged: ${place} of the journal`),
    ...(unknown > 0 ? [unknownCaptures(unknown)] : []),
    ...(missing > 0 ? [`The journal lacks ${plural(missing, 'capture')} that the database knows.`] : []),
    ...(missing_events > 0
      ? [`The journal lacks ${plural(missing_events, 'hook event')} that the database knows.`]
      : []),
  ];
}

function refuseDamage({ problems, generations, database, journal }: VerifyReport): void {
  if (database.length > 0) {
    throw new FuelError('store_corrupt', 'The database is damaged.', {
      hint: 'Run `fuel-code rebuild`: it makes a new database from the archive and keeps the old one beside it.',
    });
  }
  if (problems.length > 0) {
    throw new FuelError('blob_corrupt', `${problems.length} of ${generations} archived versions are damaged.`, {
      hint: '`fuel-code verify --heal` stores again what the source files still have; else restore the blobs from a backup.',
    });
  }
  if (journal.unknown > 0) throw new FuelError('incomplete', unknownCaptures(journal.unknown));
  if (journal.damaged.length > 0 || journal.missing > 0 || journal.missing_events > 0) {
    throw new FuelError('incomplete', 'The journal of the archive is damaged or incomplete.', {
      hint: '`fuel-code verify --heal` writes to it what the database still knows.',
    });
  }
}
