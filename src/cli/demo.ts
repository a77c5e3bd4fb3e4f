import { prepareDemo } from '../app/demo.ts';
import type { Command } from './command.ts';
import { readNumber } from './parse-arguments.ts';
import { servePage } from './start.ts';

export const command: Command = {
  name: 'demo',
  about: 'Show fuel-code on made-up sessions, in a data folder of their own.',
  isService: true,
  options: {
    port: { type: 'string', value: 'N', about: 'The port; the next free one when it is taken.' },
    'no-open': { type: 'boolean', about: 'Do not open the browser.' },
  },
  examples: [['fuel-code demo', 'Look around without any session of your own.']],
  run: async (context, args) => {
    const { config } = context.loaded;
    const demoConfig = await prepareDemo(config, context.clock);
    const port = readNumber(args, 'port', { min: 0, max: 65_535, otherwise: config.port });
    await servePage(context, { port, demoConfig, opensBrowser: config.openBrowser && !args.flags.has('no-open') });
  },
};
