import { FuelError } from '../domain/errors.ts';
import { fitWidth, wrapWidth } from '../lib/text-width.ts';
import { visible } from '../lib/visible.ts';
import type { SessionNote } from '../api/sessions.ts';
import { type Command, JSON_OPTION, type ParsedArguments, REMOTE_OPTIONS } from './command.ts';
import { printJson } from './json.ts';
import { openSource, type Source } from './source.ts';
import { paint, type Terminal } from './terminal.ts';

export const command: Command = {
  name: 'note',
  about: 'Add, edit or remove notes on a session, or show them.',
  operands: '<id or prefix> [text]',
  minOperands: 1,
  maxOperands: 2,
  options: {
    edit: { type: 'string', value: 'NOTE', about: 'Replace the text of this note.' },
    remove: { type: 'string', value: 'NOTE', about: 'Remove this note.' },
    json: JSON_OPTION,
    ...REMOTE_OPTIONS,
  },
  examples: [
    ['fuel-code note 3f2a91c0 "The cause was the clock."', 'Add a note.'],
    ['fuel-code note 3f2a91c0', 'Show the notes of a session.'],
    ['fuel-code note 3f2a91c0 --remove 01KA', 'Remove the note whose id starts with 01KA.'],
  ],
  run: async (context, args) => {
    const change = changeOf(args);
    await using source = await openSource(context, args);
    const { id } = await source.get('/sessions/:id', { params: { id: args.positionals[0] ?? '' } });
    if (change !== null) await change(source, id);
    const { notes } = await source.get('/sessions/:id', { params: { id } });
    const { terminal } = context;
    if (args.flags.has('json')) printJson(terminal, { session_id: id, notes });
    else terminal.out(notes.length === 0 ? 'No notes.\n' : notes.map((note) => render(terminal, note)).join('\n'));
  },
};

type Change = (source: Source, id: string) => Promise<unknown>;

function changeOf({ positionals: [, text], values }: ParsedArguments): Change | null {
  const edited = values.get('edit');
  const removed = values.get('remove');
  const isTooMuch = removed !== undefined && (edited !== undefined || text !== undefined);
  if (isTooMuch) throw new FuelError('usage', '--remove takes no text and cannot be combined with --edit.');
  if (removed !== undefined) return ({ send }) => send('DELETE /notes/:note_id', { params: { note_id: removed } });
  if (edited === undefined)
    return text === undefined
      ? null
      : ({ send }, id) => send('POST /sessions/:id/notes', { params: { id }, body: { text } });
  if (text === undefined) throw new FuelError('usage', '--edit requires the new text of the note.');
  return ({ send }) => send('PATCH /notes/:note_id', { params: { note_id: edited }, body: { text } });
}

function render(terminal: Terminal, { id, text, created_at }: SessionNote): string {
  const lines = visible(text.replaceAll('\t', ' '))
    .split('\n')
    .map((line) => wrapWidth(line, terminal.columns));
  return [paint(terminal, 'dim', fitWidth(`${id}  ${created_at}`, terminal.columns)), ...lines, ''].join('\n');
}
