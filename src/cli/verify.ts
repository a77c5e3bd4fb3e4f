import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FuelError } from '../domain/errors.ts';
import { healArchive } from '../ingest/heal.ts';
import { verifyArchive } from '../ingest/verify.ts';
import { visibleLine } from '../lib/visible.ts';
import { type Command, JSON_OPTION } from './command.ts';
import { formatBytes } from './format.ts';
import { printJson } from './json.ts';
import { say } from './say.ts';

export const command: Command = {
  name: 'verify',
  about: 'Read every archived byte again and compare it with its SHA-256.',
  options: {
    heal: { type: 'boolean', about: 'First store again what is damaged or lost, where the source file still has it.' },
    json: JSON_OPTION,
  },
  examples: [
    ['fuel-code verify', 'Is everything that was ever captured still there?'],
    ['fuel-code verify --heal', 'Mend what can be mended, then look.'],
    ['fuel-code verify --json', 'The same for a program; the exit code is 7 when something is damaged.'],
  ],
  run: async ({ openApp, terminal, signal }, args) => {
    await using app = await openApp();
    if (args.flags.has('heal')) {
      const healed = await healArchive({
        engine: app.store.engine,
        blobs: app.blobs,
        deviceId: app.device.id,
        readSource: async ({ root, path }) => readFile(join(root, path)).catch(() => null),
      });
      if (!args.flags.has('json')) say(terminal, `${healed.length} blobs were stored again from their source.`);
    }
    const report = await verifyArchive({ engine: app.store.engine, blobs: app.blobs, signal });
    if (args.flags.has('json')) printJson(terminal, report);
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
          hint: '`fuel-code verify --heal` stores again what the source files still have; else restore the blobs from a backup.',
        },
      );
    }
  },
};
