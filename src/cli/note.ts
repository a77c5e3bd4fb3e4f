import { annotate } from '../annotate.ts';
import type { Annotation } from '../domain/annotation.ts';
import { FuelError } from '../domain/errors.ts';
import { ulid } from '../lib/ulid.ts';
import { fitWidth, wrapWidth } from '../lib/text-width.ts';
import { visible } from '../lib/visible.ts';
import type { Tx } from '../store/engine.ts';
import type { SessionNote } from '../domain/query.ts';
import { addNote, editNote, listNotes, removeNote } from '../store/queries/annotations.ts';
import { findSession } from '../store/queries/session-rows.ts';
import { type Command, JSON_OPTION, type ParsedArguments } from './command.ts';
import { paint, type Terminal } from './terminal.ts';

export const command: Command = {
  name: 'note',
  about: 'Write down something about a session, or read what was written.',
  operands: '<id or its beginning> [text]',
  minOperands: 1,
  maxOperands: 2,
  options: {
    edit: { type: 'string', value: 'NOTE', about: 'Put the text in the place of this note.' },
    remove: { type: 'string', value: 'NOTE', about: 'Remove this note.' },
    json: JSON_OPTION,
  },
  examples: [
    ['fuel-code note 3f2a91c0 "The cause was the clock."', 'Add a note.'],
    ['fuel-code note 3f2a91c0', 'Read the notes of a session.'],
    ['fuel-code note 3f2a91c0 --remove 01KA', 'Remove the note whose id begins so.'],
  ],
  run: async ({ openApp, clock, terminal }, args) => {
    const [session = '', text] = args.positionals;
    const now = clock.now();
    const change = changeOf(args, { session, text, id: ulid(now), at: now.toISOString() });
    await using app = await openApp();
    const { id } = await findSession(app.store.engine.kysely, session);
    if (change !== null) await annotate(app, change);
    const notes = await listNotes(app.store.engine.kysely, id);
    if (args.flags.has('json')) terminal.out(`${JSON.stringify(notes, null, 2)}\n`);
    else terminal.out(notes.length === 0 ? 'No notes.\n' : notes.map((note) => render(terminal, note)).join('\n'));
  },
};

interface Asked {
  readonly session: string;
  readonly text: string | undefined;
  readonly id: string;
  readonly at: string;
}

function changeOf({ values }: ParsedArguments, asked: Asked): ((tx: Tx) => Promise<Annotation>) | null {
  const { session, text, id, at } = asked;
  const edited = values.get('edit');
  const removed = values.get('remove');
  const isTooMuch = removed !== undefined && (edited !== undefined || text !== undefined);
  if (isTooMuch) throw new FuelError('usage', '--remove takes no text and cannot be given with --edit.');
  if (removed !== undefined) return (tx) => removeNote(tx, removed, at);
  if (edited === undefined) return text === undefined ? null : (tx) => addNote(tx, { session, id, text }, at);
  if (text === undefined) throw new FuelError('usage', '--edit needs the new text of the note.');
  return (tx) => editNote(tx, edited, text, at);
}

function render(terminal: Terminal, { id, text, created_at }: SessionNote): string {
  const lines = visible(text.replaceAll('\t', ' '))
    .split('\n')
    .map((line) => wrapWidth(line, terminal.columns));
  return [paint(terminal, 'dim', fitWidth(`${id}  ${created_at}`, terminal.columns)), ...lines, ''].join('\n');
}
