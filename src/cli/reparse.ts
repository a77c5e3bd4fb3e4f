import { FuelError } from '../domain/errors.ts';
import { reparse } from '../run-by-hand.ts';
import { findSession } from '../store/queries/session-rows.ts';
import { type Command, JSON_OPTION } from './command.ts';
import { withProgress } from './progress.ts';

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
    const ids: string[] = [];
    for (const name of args.positionals) ids.push((await findSession(app.store.engine.kysely, name)).id);
    const now = context.clock.now().toISOString();
    const { sessions_parsed, failed } = await withProgress(context, (run) =>
      reparse(app, isAll ? 'all' : ids, now, run),
    );
    for (const { path, error } of failed) context.terminal.err(`Failed: ${path}: ${error}\n`);
    if (args.flags.has('json')) context.terminal.out(`${JSON.stringify({ sessions_parsed, failed }, null, 2)}\n`);
    else context.terminal.out(`${sessions_parsed} sessions were derived again.\n`);
  },
};
