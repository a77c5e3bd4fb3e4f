import { FuelError } from '../domain/errors.ts';
import { wrapWidth } from '../lib/text-width.ts';
import { visibleLine } from '../lib/visible.ts';
import { type Command, JSON_OPTION, type ParsedArguments, REMOTE_OPTIONS } from './command.ts';
import { printJson } from './json.ts';
import { openSource } from './source.ts';

const MAX_OPERANDS = 51;

export const command: Command = {
  name: 'tag',
  about: 'Show or change the tags of a session.',
  operands: '<id or prefix> [tag …]',
  minOperands: 1,
  maxOperands: MAX_OPERANDS,
  options: {
    remove: { type: 'boolean', about: 'Remove these tags.' },
    set: { type: 'boolean', about: 'Replace all tags with these; without tags, remove all.' },
    json: JSON_OPTION,
    ...REMOTE_OPTIONS,
  },
  examples: [
    ['fuel-code tag 3f2a91c0 release flaky-test', 'Add two tags.'],
    ['fuel-code tag 3f2a91c0 --remove flaky-test', 'Remove a tag.'],
    ['fuel-code tag 3f2a91c0', 'Show its tags.'],
  ],
  run: async (context, args) => {
    const field = fieldOf(args);
    const [session = '', ...tags] = args.positionals;
    await using source = await openSource(context, args);
    const params = { id: session };
    const { id, tags: left } =
      field !== 'add_tags' || tags.length > 0
        ? await source.send('PATCH /sessions/:id', { params, body: { [field]: tags } })
        : await source.get('/sessions/:id', { params });
    const { terminal } = context;
    if (args.flags.has('json')) printJson(terminal, { session_id: id, tags: left });
    else
      terminal.out(left.length === 0 ? 'No tags.\n' : `${wrapWidth(visibleLine(left.join(' ')), terminal.columns)}\n`);
  },
};

function fieldOf({ flags }: ParsedArguments): 'tags' | 'add_tags' | 'remove_tags' {
  if (flags.has('remove') && flags.has('set')) throw new FuelError('usage', '--remove and --set cannot be combined.');
  if (flags.has('remove')) return 'remove_tags';
  return flags.has('set') ? 'tags' : 'add_tags';
}
