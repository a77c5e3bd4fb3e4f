import { findSession } from '../store/queries/session-rows.ts';
import { catchUp } from './catch-up.ts';
import type { Command } from './command.ts';
import { readNumber } from './parse-arguments.ts';
import { servePage } from './start.ts';

export const command: Command = {
  name: 'open',
  about: 'Serve the page on this machine and open it at a session.',
  operands: '<id or its beginning>',
  minOperands: 1,
  maxOperands: 1,
  options: {
    port: { type: 'string', value: 'N', about: 'The port; the next free one when it is taken.' },
    'no-open': { type: 'boolean', about: 'Do not open the browser, only tell the address.' },
  },
  examples: [
    ['fuel-code open 3f2a91c0', 'Read this session in the browser.'],
    ['fuel-code open 3f2a91c0 --no-open', 'Only its address.'],
  ],
  run: async (context, args) => {
    const { config } = context.loaded;
    const port = readNumber(args, 'port', { min: 0, max: 65_535, otherwise: config.port });
    const id = await findId(context, args.positionals[0] ?? '');
    const opensBrowser = config.openBrowser && !args.flags.has('no-open');
    await servePage(context, { port, opensBrowser, place: `/session/${encodeURIComponent(id)}` });
  },
};

async function findId(context: Parameters<Command['run']>[0], idOrPrefix: string): Promise<string> {
  await using app = await context.openApp();
  await catchUp(context, app, { rowsOnly: true });
  return (await findSession(app.store.engine.kysely, idOrPrefix)).id;
}
