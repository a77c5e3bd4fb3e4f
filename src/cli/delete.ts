import type { DeletedSession, DeletionPreview } from '../api/deletions.ts';
import { FuelError } from '../domain/errors.ts';
import { listDeletion, liveWarning } from '../reading/deletion.ts';
import { formatDate, formatTime, plural } from '../reading/format.ts';
import { shortId } from '../reading/names.ts';
import { type Command, type CommandContext, JSON_OPTION, type ParsedArguments, REMOTE_OPTIONS } from './command.ts';
import { confirm, printJson, printLine } from './output.ts';
import { isRemote, openSource, type Source } from './source.ts';
import { type Column, renderTable } from './table.ts';
import { paint } from './terminal.ts';

const MAX_SESSIONS = 500;

export const command: Command = {
  name: 'delete',
  about:
    'Delete sessions everywhere fuel-code stores them. They are hidden immediately and removed after a grace period.',
  operands: '[id or prefix …]',
  maxOperands: MAX_SESSIONS,
  options: {
    yes: { type: 'boolean', about: 'Do not ask for confirmation.' },
    now: { type: 'boolean', about: 'Remove the bytes immediately; this cannot be undone.' },
    transcript: {
      type: 'boolean',
      about: 'Also remove the files of the sessions from the Claude home of this machine.',
    },
    undo: {
      type: 'boolean',
      about: 'Undo the deletion of sessions whose bytes have not been removed yet.',
      excludes: ['now'],
    },
    list: { type: 'boolean', about: 'List deleted sessions.', excludes: ['undo', 'now', 'transcript'] },
    json: JSON_OPTION,
    ...REMOTE_OPTIONS,
  },
  examples: [
    ['fuel-code delete 3f2a91c0', 'Show what would be deleted, and ask for confirmation.'],
    ['fuel-code delete 3f2a91c0 --now --transcript --yes', 'Remove it immediately, with its transcript.'],
    ['fuel-code delete --list', 'List deleted sessions.'],
    ['fuel-code delete --undo 3f2a91c0', 'Undo the deletion.'],
  ],
  run: async (context, args) => {
    const { flags, positionals } = args;
    checkIds(flags, positionals);
    if (flags.has('transcript') && isRemote(args)) {
      throw new FuelError(
        'usage',
        '--transcript only removes files of this machine, so it cannot be used with --remote.',
      );
    }
    await using source = await openSource(context, args);
    if (flags.has('list')) await listDeleted(context, args, source);
    else if (flags.has('undo')) await undo(context, args, source);
    else await remove(context, args, source);
  },
};

/** Errors: usage. */
function checkIds(flags: ReadonlySet<string>, ids: readonly string[]): void {
  if (flags.has('list')) {
    if (ids.length === 0) return;
    throw new FuelError('usage', '--list takes no ids.', { hint: 'Run `fuel-code help delete` for usage.' });
  }
  if (ids.length > 0) return;
  throw flags.has('undo')
    ? new FuelError('usage', 'Specify the sessions to restore.', { hint: '`fuel-code delete --list` lists them.' })
    : new FuelError('usage', 'Specify the sessions to delete.', { hint: '`fuel-code sessions` lists the ids.' });
}

async function listDeleted({ terminal }: CommandContext, { flags }: ParsedArguments, source: Source): Promise<void> {
  const answer = await source.get('/deletions');
  if (flags.has('json')) return printJson(terminal, answer);
  if (answer.deletions.length === 0) return printLine(terminal, 'No deleted sessions.');
  terminal.out(renderTable(terminal, COLUMNS, answer.deletions));
}

const STATES = {
  waiting: ({ purge_at }) => `can be restored until ${formatTime(purge_at)}`,
  restoring: () => 'is being restored',
  removed: ({ purged_at }) => `removed on ${formatDate(purged_at ?? '')}`,
} as const satisfies Record<DeletedSession['state'], (deleted: DeletedSession) => string>;

const COLUMNS: readonly Column<DeletedSession>[] = [
  { title: 'ID', text: ({ session_id }) => session_id },
  { title: 'DELETED', text: ({ deleted_at }) => formatDate(deleted_at) },
  { title: 'STATE', grows: true, text: (deleted) => STATES[deleted.state](deleted) },
];

async function undo({ terminal }: CommandContext, args: ParsedArguments, source: Source): Promise<void> {
  const restored: string[] = [];
  for (const session_id of args.positionals) {
    restored.push((await source.send('DELETE /deletions/:session_id', { params: { session_id } })).session_id);
  }
  if (args.flags.has('json')) return printJson(terminal, { restored });
  printLine(
    terminal,
    `${plural(restored.length, 'session')} restored; the next import parses ${restored.length === 1 ? 'it' : 'them'} again.`,
  );
}

async function remove(context: CommandContext, args: ParsedArguments, source: Source): Promise<void> {
  const { terminal } = context;
  const { flags } = args;
  const body = { now: flags.has('now'), transcript: flags.has('transcript') };
  const previews: DeletionPreview[] = [];
  for (const id of new Set(args.positionals)) previews.push(await previewOf(source, id, body.now));
  const isJson = flags.has('json');
  if (!isJson) showPreviews(context, previews, body);
  if (!isJson && !isRemote(args)) await showSetAside(context);
  const question = body.now ? 'Delete for good?' : 'Delete?';
  await confirm(terminal, args, { question, refused: 'Nothing was deleted.' });
  const session_ids = previews.map(({ session_id }) => session_id);
  const answer = await source.send('POST /deletions', { body: { session_ids, ...body } });
  if (isJson) return printJson(terminal, answer);
  const failed = answer.results.find(({ error }) => error !== null);
  if (failed !== undefined) throw new FuelError('incomplete', `${failed.session_id}: ${failed.error?.message}`);
  printLine(terminal, outcomeOf(answer, session_ids, body.now));
}

/** A session that is already hidden can only be removed earlier; there is nothing left to show. */
async function previewOf(source: Source, id: string, now: boolean): Promise<DeletionPreview> {
  try {
    return await source.get('/sessions/:id/deletion', { params: { id } });
  } catch (error) {
    if (!now || !(error instanceof FuelError) || error.code !== 'gone') throw error;
    const { deletions } = await source.get('/deletions');
    const hidden = deletions.find(({ session_id, state }) => state === 'waiting' && session_id.startsWith(id));
    if (hidden === undefined) throw error;
    return hiddenOne(hidden.session_id);
  }
}

function hiddenOne(session_id: string): DeletionPreview {
  const none = { messages: 0, files: 0, files_beside: 0, size_bytes: 0, shared_bytes: 0, documents: 0, notes: 0 };
  return {
    session_id,
    title: 'deleted, not removed yet',
    device_id: '',
    is_live: false,
    ...none,
    events: 0,
    shares: 0,
    shipped_files: 0,
    forks: [],
    claude_files: [],
  };
}

function showPreviews(
  { terminal }: CommandContext,
  previews: readonly DeletionPreview[],
  { now, transcript }: { readonly now: boolean; readonly transcript: boolean },
): void {
  for (const { session_id, title } of previews) {
    printLine(terminal, `${shortId(session_id)} ${title ?? 'no title'}`);
  }
  const { goes, stays } = listDeletion(previews, transcript);
  for (const [head, lines] of [
    ['Will be deleted', goes],
    ['Will be kept', stays],
  ] as const) {
    terminal.out(`\n${paint(terminal, 'bold', head)}\n`);
    for (const line of lines) printLine(terminal, `  ${line}`);
  }
  const warning = liveWarning(previews);
  terminal.out('\n');
  if (warning !== null) printLine(terminal, warning);
  if (now) printLine(terminal, 'Everything is removed immediately; this cannot be undone.');
}

/** Copies of the database and the journal from before a repair: only the owner can decide about them. */
async function showSetAside({ terminal, loaded }: CommandContext): Promise<void> {
  const { listSetAside } = await import('../app/deletion/purge.ts');
  const files = listSetAside(loaded.config.home);
  if (files.length === 0) return;
  printLine(
    terminal,
    `${plural(files.length, 'file')} from a repair may contain it too; delete what you no longer need:`,
  );
  for (const path of files) printLine(terminal, `  ${path}`);
  terminal.out('\n');
}

function outcomeOf(
  {
    results,
    is_removed,
  }: { readonly results: readonly { readonly purge_at: string | null }[]; readonly is_removed: boolean },
  ids: readonly string[],
  now: boolean,
): string {
  const count = plural(results.length, 'session');
  if (is_removed) return `${count} deleted and removed.`;
  if (now) return `${count} deleted. An import is running; the bytes are removed when it has finished.`;
  const until = formatTime(results[0]?.purge_at ?? '');
  const which = ids.length === 1 ? shortId(ids[0] ?? '') : 'ID';
  return `${count} deleted. Until ${until}, \`fuel-code delete --undo ${which}\` undoes this; after that, the bytes are removed.`;
}
