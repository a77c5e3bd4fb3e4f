import type { App } from '../app.ts';
import { FuelError } from '../domain/errors.ts';
import { createTally } from '../import-tally.ts';
import { runLine } from '../pipeline/run-line.ts';
import { findSession } from '../store/queries/session-rows.ts';
import { listParsedSessions, markUnparsed } from '../store/queries/session-state.ts';
import { type Command, type CommandContext, JSON_OPTION } from './command.ts';
import { createProgressBar } from './progress.ts';

export const command: Command = {
  name: 'reparse',
  about: 'Derive sessions again from their archived bytes. What is shown meanwhile are the rows of before.',
  operands: '[id or its beginning …]',
  maxOperands: 100,
  options: {
    all: { type: 'boolean', about: 'Every session that is not archived.' },
    json: JSON_OPTION,
  },
  examples: [
    ['fuel-code reparse 3f2a91c0', 'One session.'],
    ['fuel-code reparse --all', 'All of them, for example after a change of prices.'],
  ],
  run: async (context, args) => {
    const isAll = args.flags.has('all');
    if (isAll === args.positionals.length > 0) {
      throw new FuelError('usage', 'Give the sessions to derive again, or --all.', {
        hint: '`fuel-code sessions` lists the ids.',
      });
    }
    await using app = await context.openApp();
    const { kysely } = app.store.engine;
    const ids = isAll ? await listParsedSessions(kysely) : [];
    for (const name of args.positionals) ids.push((await findSession(kysely, name)).id);
    const report = await reparse(context, app, ids);
    if (args.flags.has('json')) context.terminal.out(`${JSON.stringify(report, null, 2)}\n`);
    else context.terminal.out(`${report.sessions_parsed} sessions were derived again.\n`);
  },
};

/** Marks the sessions and works them through; others that wait are done on the way. */
export async function reparse(context: CommandContext, app: App, ids: readonly string[]) {
  const { engine } = app.store;
  await markUnparsed(engine.kysely, ids, context.clock.now().toISOString());
  const bar = createProgressBar(context.terminal, context.clock);
  const tally = createTally(bar.show);
  await runLine({ ...(await app.openLine(context.signal)), rowsOnly: false }, tally);
  bar.clear();
  const { sessions_parsed, failed } = tally.counts();
  for (const { path, error } of failed) context.terminal.err(`Failed: ${path}: ${error}\n`);
  return { sessions_parsed, failed };
}
