import { annotate } from '../annotate.ts';
import { pinSession } from '../store/queries/annotations.ts';
import type { Command } from './command.ts';
import { say } from './say.ts';

export const command: Command = {
  name: 'pin',
  about: 'Pin a session, or take the pin away.',
  operands: '<id or its beginning>',
  minOperands: 1,
  maxOperands: 1,
  options: { remove: { type: 'boolean', about: 'Take the pin away.' } },
  examples: [
    ['fuel-code pin 3f2a91c0', 'Keep it in sight; it is never archived by age.'],
    ['fuel-code pin 3f2a91c0 --remove', 'No longer.'],
  ],
  run: async ({ openApp, clock, terminal }, args) => {
    const isPinned = !args.flags.has('remove');
    await using app = await openApp();
    const now = clock.now().toISOString();
    const { sessionId } = await annotate(app, (tx) => pinSession(tx, args.positionals[0] ?? '', isPinned, now));
    say(terminal, `${sessionId} is ${isPinned ? 'pinned' : 'no longer pinned'}.`);
  },
};
