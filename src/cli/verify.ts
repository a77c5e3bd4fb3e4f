import { FuelError } from '../domain/errors.ts';
import { verifyArchive } from '../ingest/verify.ts';
import { visibleLine } from '../lib/visible.ts';
import { type Command, JSON_OPTION } from './command.ts';
import { formatBytes } from './format.ts';
import { say } from './say.ts';

export const command: Command = {
  name: 'verify',
  about: 'Read every archived byte again and compare it with its SHA-256.',
  options: { json: JSON_OPTION },
  examples: [
    ['fuel-code verify', 'Is everything that was ever captured still there?'],
    ['fuel-code verify --json', 'The same for a program; the exit code is 7 when something is damaged.'],
  ],
  run: async ({ openApp, terminal, signal }, args) => {
    await using app = await openApp();
    const report = await verifyArchive({ engine: app.store.engine, blobs: app.blobs, signal });
    if (args.flags.has('json')) terminal.out(`${JSON.stringify(report, null, 2)}\n`);
    else {
      const { files, generations, blobs, bytes, problems } = report;
      say(terminal, `${files} files in ${generations} versions, ${formatBytes(bytes)} in ${blobs} blobs were read.`);
      for (const { path, generation, problem } of problems) {
        terminal.out(
          `Damaged: ${visibleLine(path)}${generation === null ? '' : ` version ${generation}`}: ${visibleLine(problem)}\n`,
        );
      }
      if (problems.length === 0) say(terminal, 'All of it is as it was captured.');
    }
    if (report.problems.length > 0) {
      throw new FuelError(
        'blob_corrupt',
        `${report.problems.length} of ${report.generations} archived versions are damaged.`,
        {
          hint: 'Where the source file still exists, `fuel-code backfill` captures it anew; otherwise restore the blobs from a backup.',
        },
      );
    }
  },
};
