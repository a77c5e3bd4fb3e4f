import { rebuild } from '../rebuild.ts';
import { interrupted } from './catch-up.ts';
import { type Command, JSON_OPTION } from './command.ts';
import { printJson } from './json.ts';
import { createProgressBar } from './progress.ts';
import { inColumns, say } from './say.ts';

export const command: Command = {
  name: 'rebuild',
  about: 'Derive everything again from the archive: sessions, messages, costs, full text.',
  options: { json: JSON_OPTION },
  examples: [
    ['fuel-code rebuild', 'After the database was lost or damaged, or just to be sure.'],
    ['fuel-code rebuild --json', 'The same for a program.'],
  ],
  run: async ({ loaded, clock, log, terminal, signal }, args) => {
    const bar = createProgressBar(terminal, clock);
    const report = await rebuild({ config: loaded.config, clock, log }, { signal, onProgress: bar.show });
    bar.clear();
    if (signal.aborted) throw interrupted('The rebuild was interrupted.');
    if (args.flags.has('json')) return printJson(terminal, report);
    if (report.set_aside !== null) say(terminal, `The database could not be opened; it is now ${report.set_aside}.`);
    const captures = `${report.captures_replayed} captures were read from the archive`;
    terminal.out(inColumns(terminal, `${captures}, ${report.sessions_parsed} sessions were derived again.\n`));
    for (const { path, error } of report.failed) say(terminal, `Failed: ${path}: ${error}`);
  },
};
