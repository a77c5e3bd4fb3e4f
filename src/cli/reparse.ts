import { FuelError } from '../domain/errors.ts';
import { plural } from '../reading/format.ts';
import { type Command, JSON_OPTION, REMOTE_OPTIONS } from './command.ts';
import { printJson } from './json.ts';
import { openSource } from './source.ts';
import { refuseUnfinished } from './unfinished.ts';

export const command: Command = {
  name: 'reparse',
  about: 'Parse sessions again from the archive. Until then, the previous data is shown.',
  operands: '[id or prefix …]',
  maxOperands: 100,
  options: {
    all: { type: 'boolean', about: 'All sessions except archived ones.' },
    json: JSON_OPTION,
    ...REMOTE_OPTIONS,
  },
  examples: [
    ['fuel-code reparse 3f2a91c0', 'Reparse one session.'],
    ['fuel-code reparse --all', 'Reparse all sessions, for example after a price change.'],
  ],
  run: async (context, args) => {
    const isAll = args.flags.has('all');
    if (isAll === args.positionals.length > 0) {
      throw new FuelError('usage', 'Specify the sessions to reparse, or --all.', {
        hint: '`fuel-code sessions` lists the ids.',
      });
    }
    await using source = await openSource(context, args);
    const ids: string[] = [];
    for (const name of args.positionals) ids.push((await source.get('/sessions/:id', { params: { id: name } })).id);
    const { sessions_parsed, failed } = await source.reparse(isAll ? 'all' : ids);
    for (const { path, error } of failed) context.terminal.err(`Failed: ${path}: ${error}\n`);
    if (args.flags.has('json')) printJson(context.terminal, { sessions_parsed, failed });
    else context.terminal.out(`${plural(sessions_parsed, 'session')} reparsed.\n`);
    refuseUnfinished(context.signal, failed.length);
  },
};
