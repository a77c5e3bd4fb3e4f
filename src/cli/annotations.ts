import type { SessionNote } from '../api/sessions.ts';
import { FuelError } from '../domain/errors.ts';
import { fitWidth, visible, visibleLine, wrapWidth } from '../lib/terminal-text.ts';
import { formatTime } from '../reading/format.ts';
import { type Command, JSON_OPTION, type ParsedArguments, REMOTE_OPTIONS } from './command.ts';
import { printJson, printLine } from './output.ts';
import { openSource, type Source } from './source.ts';
import { paint, type Terminal } from './terminal.ts';

const MAX_OPERANDS = 51;

export const tagCommand: Command = {
  name: 'tag',
  about: 'Show or change the tags of a session.',
  operands: '<id or prefix> [tag …]',
  minOperands: 1,
  maxOperands: MAX_OPERANDS,
  options: {
    remove: { type: 'boolean', excludes: ['set'], about: 'Remove these tags.' },
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
    if (field === 'remove_tags' && tags.length === 0)
      throw new FuelError('usage', '--remove requires the tags to remove.', {
        hint: '`--set` without tags removes all.',
      });
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
  if (flags.has('remove')) return 'remove_tags';
  return flags.has('set') ? 'tags' : 'add_tags';
}

export const noteCommand: Command = {
  name: 'note',
  about: 'Add, edit or remove notes on a session, or show them.',
  operands: '<id or prefix> [text]',
  minOperands: 1,
  maxOperands: 2,
  options: {
    edit: { type: 'string', value: 'NOTE', excludes: ['remove'], about: 'Replace the text of this note.' },
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
    const change = noteChangeOf(args);
    await using source = await openSource(context, args);
    const { id } = await source.get('/sessions/:id', { params: { id: args.positionals[0] ?? '' } });
    if (change !== null) await change(source, id);
    const { notes } = await source.get('/sessions/:id', { params: { id } });
    const { terminal } = context;
    if (args.flags.has('json')) printJson(terminal, { session_id: id, notes });
    else terminal.out(notes.length === 0 ? 'No notes.\n' : notes.map((note) => renderNote(terminal, note)).join('\n'));
  },
};

type NoteChange = (source: Source, id: string) => Promise<unknown>;

function noteChangeOf({ positionals: [, text], values }: ParsedArguments): NoteChange | null {
  const edited = values.get('edit');
  const removed = values.get('remove');
  if (removed !== undefined && text !== undefined) throw new FuelError('usage', '--remove takes no text.');
  if (removed !== undefined) return ({ send }) => send('DELETE /notes/:note_id', { params: { note_id: removed } });
  if (edited === undefined)
    return text === undefined
      ? null
      : ({ send }, id) => send('POST /sessions/:id/notes', { params: { id }, body: { text } });
  if (text === undefined) throw new FuelError('usage', '--edit requires the new text of the note.');
  return ({ send }) => send('PATCH /notes/:note_id', { params: { note_id: edited }, body: { text } });
}

function renderNote(terminal: Terminal, { id, text, created_at }: SessionNote): string {
  const lines = visible(text.replaceAll('\t', ' '))
    .split('\n')
    .map((line) => wrapWidth(line, terminal.columns));
  return [paint(terminal, 'dim', fitWidth(`${id}  ${formatTime(created_at)}`, terminal.columns)), ...lines, ''].join(
    '\n',
  );
}

export const pinCommand: Command = {
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
    printLine(context.terminal, `${id} is ${isPinned ? 'pinned' : 'not pinned'}.`);
  },
};
