import { type Command, JSON_OPTION, REMOTE_OPTIONS } from './command.ts';
import { printJson } from './json.ts';
import { say } from './say.ts';
import { openSource } from './source.ts';

export const command: Command = {
  name: 'pin',
  about: 'Pin or unpin a session.',
  operands: '<id or prefix>',
  minOperands: 1,
  maxOperands: 1,
  options: { remove: { type: 'boolean', about: 'Unpin the session.' }, json: JSON_OPTION, ...REMOTE_OPTIONS },
  examples: [
    ['fuel-code pin 3f2a91c0', 'Pin a session; pinned sessions are never archived by age.'],
    ['fuel-code pin 3f2a91c0 --remove', 'Unpin it.'],
  ],
  run: async (context, args) => {
    const isPinned = !args.flags.has('remove');
    await using source = await openSource(context, args);
    const { id } = await source.get('/sessions/:id', { params: { id: args.positionals[0] ?? '' } });
    await source.send('PATCH /sessions/:id', { params: { id }, body: { is_pinned: isPinned } });
    if (args.flags.has('json')) return printJson(context.terminal, { session_id: id, is_pinned: isPinned });
    say(context.terminal, `${id} is ${isPinned ? 'pinned' : 'no longer pinned'}.`);
  },
};
