import { annotate } from '../annotate.ts';
import type { TagMode } from '../domain/annotation.ts';
import { FuelError } from '../domain/errors.ts';
import { wrapWidth } from '../lib/text-width.ts';
import { visibleLine } from '../lib/visible.ts';
import { listTags, tagSession } from '../store/queries/annotations.ts';
import { findSession } from '../store/queries/session-rows.ts';
import { type Command, JSON_OPTION, type ParsedArguments } from './command.ts';

const MAX_OPERANDS = 51;

export const command: Command = {
  name: 'tag',
  about: 'Show or change the tags of a session.',
  operands: '<id or its beginning> [tag …]',
  minOperands: 1,
  maxOperands: MAX_OPERANDS,
  options: {
    remove: { type: 'boolean', about: 'Take these tags away.' },
    set: { type: 'boolean', about: 'Have exactly these tags; none given, none left.' },
    json: JSON_OPTION,
  },
  examples: [
    ['fuel-code tag 3f2a91c0 release flaky-test', 'Add two tags.'],
    ['fuel-code tag 3f2a91c0 --remove flaky-test', 'Take one away.'],
    ['fuel-code tag 3f2a91c0', 'Show them.'],
  ],
  run: async ({ openApp, clock, terminal }, args) => {
    const mode = modeOf(args);
    const [session = '', ...tags] = args.positionals;
    await using app = await openApp();
    if (mode !== 'add' || tags.length > 0) {
      const now = clock.now().toISOString();
      await annotate(app, (tx) => tagSession(tx, { session, mode, tags }, now));
    }
    const { id } = await findSession(app.store.engine.kysely, session);
    const left = await listTags(app.store.engine.kysely, id);
    if (args.flags.has('json')) terminal.out(`${JSON.stringify({ session_id: id, tags: left }, null, 2)}\n`);
    else
      terminal.out(left.length === 0 ? 'No tags.\n' : `${wrapWidth(visibleLine(left.join(' ')), terminal.columns)}\n`);
  },
};

function modeOf({ flags }: ParsedArguments): TagMode {
  if (flags.has('remove') && flags.has('set'))
    throw new FuelError('usage', '--remove and --set cannot be given together.');
  if (flags.has('remove')) return 'remove';
  return flags.has('set') ? 'set' : 'add';
}
