import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { App } from '../app/open-app.ts';
import { type UploadedFile, uploadTranscript } from '../app/upload.ts';
import { FuelError, toFuelError } from '../domain/errors.ts';
import { visibleLine } from '../lib/terminal-text.ts';
import { formatBytes, plural } from '../reading/format.ts';
import { importUpdates, interrupted } from './catch-up.ts';
import { type Command, type CommandContext, JSON_OPTION, type ParsedArguments } from './command.ts';
import { printJson, printLine, printNote, wrapLines } from './output.ts';
import type { Terminal } from './terminal.ts';

const MAX_OPERANDS = 10_000;

export const command: Command = {
  name: 'upload',
  about: 'Import transcripts from files or folders outside the Claude home, byte for byte.',
  operands: '<file or folder …>',
  minOperands: 1,
  maxOperands: MAX_OPERANDS,
  options: {
    session: { type: 'string', short: 's', value: 'ID', about: 'The session id (default: the one in the transcript).' },
    workspace: {
      type: 'string',
      short: 'w',
      value: 'NAME',
      about: 'Existing workspace for the session (default: determined by the folder in the transcript).',
    },
    json: JSON_OPTION,
  },
  examples: [
    [
      'fuel-code upload old-laptop/3f2a91c0-….jsonl',
      'Also uploads its sub-agents, from the folder of the same name next to it.',
    ],
    [
      'fuel-code upload session.jsonl --session 3f2a91c0-7c11-4d2e-9a57-0c1d2e3f4a5b',
      'A file that is not named after its session.',
    ],
    ['fuel-code upload backup/.claude/projects', 'All transcripts in a folder and the folders in it.'],
  ],
  run: async (context, args) => {
    const [first = ''] = args.positionals;
    if (args.positionals.includes('')) throw new FuelError('usage', 'The name of a file or folder is empty.');
    const isOne = args.positionals.length === 1 && !isFolder(first);
    if (!isOne && args.values.has('session')) {
      throw new FuelError('usage', '--session only works with a single file.', {
        hint: 'Without it, the session id is taken from the lines of each file.',
      });
    }
    await using app = await context.openApp();
    await (isOne ? uploadOne(context, args, app) : uploadSeveral(context, args, app));
  },
};

async function uploadOne(context: CommandContext, args: ParsedArguments, app: App): Promise<void> {
  const { clock, terminal } = context;
  const uploaded = await uploadTranscript(app, clock, {
    path: resolve(args.positionals[0] ?? ''),
    sessionId: args.values.get('session') ?? null,
    workspace: args.values.get('workspace') ?? null,
  });
  const { isImported, is_shipped } = await passOn(context, app, uploaded.files);
  if (args.flags.has('json')) printJson(terminal, { ...uploaded, is_shipped });
  else {
    printSentence(terminal, sentenceOf(uploaded.files));
    printLine(terminal, `Read it with: fuel-code session ${uploaded.session_id}`);
  }
  printNotes(terminal, isImported, is_shipped);
}

/** Imports and ships what is new. */
async function passOn(context: CommandContext, app: App, files: readonly UploadedFile[]) {
  if (files.every(({ status }) => status === 'already_uploaded')) return { isImported: true, is_shipped: null };
  const isImported = (await importUpdates(context, app, { rowsOnly: false })) !== null;
  return { isImported, is_shipped: await ship(context, app) };
}

/** Stores every transcript of several files and folders; a rejected one does not stop the others. */
async function uploadSeveral(context: CommandContext, args: ParsedArguments, app: App): Promise<void> {
  const { clock, terminal, signal } = context;
  const { listTranscripts } = await import('../app/upload-list.ts');
  const { paths, skipped } = await listTranscripts(args.positionals.map((path) => resolve(path)));
  const workspace = args.values.get('workspace') ?? null;
  const uploads: SeveralItem[] = [];
  for (const path of paths) {
    if (signal.aborted) throw interrupted(`Interrupted after ${plural(uploads.length, 'transcript')}.`);
    try {
      const uploaded = await uploadTranscript(app, clock, { path, sessionId: null, workspace });
      uploads.push({ path, ...uploaded, error: null });
    } catch (thrown) {
      const { code, message } = toFuelError(thrown);
      uploads.push({ path, session_id: null, files: [], error: { code, message } });
    }
  }
  const { isImported, is_shipped } = await passOn(
    context,
    app,
    uploads.flatMap(({ files }) => files),
  );
  if (args.flags.has('json')) printJson(terminal, { uploads, skipped, is_shipped });
  else printSeveral(terminal, uploads, skipped);
  printNotes(terminal, isImported, is_shipped);
  const failed = uploads.filter(({ error }) => error !== null).length;
  if (failed > 0) throw new FuelError('incomplete', `${failed} of ${plural(paths.length, 'transcript')} not stored.`);
}

interface SeveralItem {
  readonly path: string;
  readonly session_id: string | null;
  readonly files: readonly UploadedFile[];
  readonly error: { readonly code: string; readonly message: string } | null;
}

function printSeveral(terminal: Terminal, uploads: readonly SeveralItem[], skipped: readonly string[]): void {
  for (const { files, error, path } of uploads) {
    if (error === null) printSentence(terminal, sentenceOf(files));
    else {
      const what = error.message.includes(path) ? '' : `${path}: `;
      terminal.err(wrapLines(terminal, visibleLine(`Not stored: ${what}${error.message}`)) + '\n');
    }
  }
  const sessions = new Set(uploads.flatMap(({ session_id }) => session_id ?? []));
  const others =
    skipped.length === 0 ? '' : `; ${plural(skipped.length, 'other file')} without prompts or answers skipped`;
  printLine(terminal, `${plural(sessions.size, 'session')} from ${plural(uploads.length, 'transcript')}${others}.`);
}

function printNotes(terminal: Terminal, isImported: boolean, isShipped: boolean | null): void {
  if (!isImported) printNote(terminal, 'Another process is importing; it parses what was stored.');
  if (isShipped === false) printNote(terminal, 'The server does not have everything yet; the worker sends it later.');
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Wrapped only on a terminal: a script reads the paths. */
function printSentence(terminal: Terminal, sentence: string): void {
  terminal.out(`${wrapLines(terminal, visibleLine(sentence))}\n`);
}

function sentenceOf([main, ...beside]: readonly UploadedFile[]): string {
  const what = { uploaded: 'Stored', appended: 'Added to the stored transcript', already_uploaded: 'Already stored' };
  const more = beside.length === 0 ? '' : `, with ${plural(beside.length, 'file')} beside it`;
  return `${what[main?.status ?? 'already_uploaded']}: ${main?.path} (${formatBytes(main?.size_bytes ?? 0)})${more}.`;
}

const SHIP_MS = 60_000;

/** Null without a server. */
async function ship({ signal }: CommandContext, app: App): Promise<boolean | null> {
  if (app.config.serverUrl === null) return null;
  const report = await app.ship(AbortSignal.any([signal, AbortSignal.timeout(SHIP_MS)]));
  return report !== null && report.paused === null && report.refused === 0;
}
