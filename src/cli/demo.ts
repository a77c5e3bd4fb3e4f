import { prepareDemo } from '../app/demo.ts';
import type { Command } from './command.ts';
import { readNumber } from './parse-arguments.ts';
import { servePage } from './start.ts';

export const command: Command = {
  name: 'demo',
  about: 'Try fuel-code with sample sessions, kept in a separate data folder.',
  isService: true,
  options: {
    port: { type: 'string', value: 'N', about: 'Port; if it is taken, the next free one is used.' },
    'no-open': { type: 'boolean', about: 'Do not open the browser.' },
  },
  examples: [['fuel-code demo', 'Explore fuel-code without sessions of your own.']],
  run: async (context, args) => {
    const { config } = context.loaded;
    const demoConfig = await prepareDemo(config, context.clock);
    const port = readNumber(args, 'port', { min: 0, max: 65_535, otherwise: config.port });
    await servePage(context, { port, demoConfig, opensBrowser: config.openBrowser && !args.flags.has('no-open') });
  },
};
