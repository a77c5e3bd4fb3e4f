import { type Command, type CommandContext, type ParsedArguments, REMOTE_OPTIONS } from './command.ts';
import { readNumber } from './parse-arguments.ts';
import { openSource } from './source.ts';
import { servePage, tellAddress } from './start.ts';

export const command: Command = {
  name: 'open',
  about: 'Start the web interface and open a session in it.',
  isService: true,
  operands: '<id or prefix>',
  minOperands: 1,
  maxOperands: 1,
  options: {
    port: { type: 'string', value: 'N', about: 'Port; if it is taken, the next free one is used.' },
    'no-open': { type: 'boolean', about: 'Do not open the browser; only print the URL.' },
    ...REMOTE_OPTIONS,
  },
  examples: [
    ['fuel-code open 3f2a91c0', 'Read this session in the browser.'],
    ['fuel-code open 3f2a91c0 --no-open', 'Only print its URL.'],
  ],
  run: async (context, args) => {
    const { config } = context.loaded;
    const port = readNumber(args, 'port', { min: 0, max: 65_535, otherwise: config.port });
    const { id, pageAddress } = await find(context, args);
    const opensBrowser = config.openBrowser && !args.flags.has('no-open');
    const place = `/session/${encodeURIComponent(id)}`;
    if (pageAddress === null) return servePage(context, { port, opensBrowser, place });
    await tellAddress(context, `${pageAddress}&to=${place}`, opensBrowser);
  },
};

async function find(context: CommandContext, args: ParsedArguments) {
  await using source = await openSource(context, args, 'rows');
  const { id } = await source.get('/sessions/:id', { params: { id: args.positionals[0] ?? '' } });
  return { id, pageAddress: source.pageAddress };
}
