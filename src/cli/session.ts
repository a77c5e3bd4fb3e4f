import type { App } from '../app.ts';
import { annotate } from '../annotate.ts';
import type { SessionDetail } from '../domain/query.ts';
import { tagSession } from '../store/queries/annotations.ts';
import { catchUp } from './catch-up.ts';
import { type Command, type CommandContext, JSON_OPTION, NO_PAGER_OPTION, type ParsedArguments } from './command.ts';
import { withProgress } from './progress.ts';
import { READING_COLUMNS, renderDetail } from './session-detail.ts';
import { showEvents, showGit, showSteps } from './session-tables.ts';
import type { Terminal } from './terminal.ts';
import { renderTranscript } from './transcript/print-transcript.ts';
import { readWholeTranscript } from './transcript/read-transcript.ts';
import { remark } from './say.ts';

export const command: Command = {
  name: 'session',
  about: 'Show one session.',
  operands: '<id or its beginning>',
  minOperands: 1,
  maxOperands: 1,
  options: {
    transcript: { type: 'boolean', about: 'Show the whole conversation.' },
    subagents: { type: 'boolean', about: 'With --transcript: the work of sub-agents where they were called.' },
    thinking: { type: 'boolean', about: 'With --transcript: what the model thought.' },
    full: {
      type: 'boolean',
      about: 'With --transcript: whole outputs and changes, and what is told to the model only.',
    },
    events: { type: 'boolean', about: 'Show what the hooks told of it.' },
    git: { type: 'boolean', about: 'Show what happened in its repository meanwhile.' },
    steps: { type: 'boolean', about: 'Show how the steps from bytes to finished session went.' },
    tag: { type: 'string', value: 'TAG', about: 'Add a tag first.' },
    reparse: { type: 'boolean', about: 'Derive it again from its archived bytes first.' },
    restore: { type: 'boolean', about: 'Bring the rows of an archived session back first.' },
    export: { type: 'boolean', about: 'Print the whole parse of it as JSON, straight from the archived bytes.' },
    'no-import': { type: 'boolean', about: 'Show what is stored, without looking for new transcripts first.' },
    json: JSON_OPTION,
    'no-pager': NO_PAGER_OPTION,
  },
  examples: [
    ['fuel-code session 3f2a91c0', 'What happened in it.'],
    ['fuel-code session 3f2a91c0 --transcript', 'Read it.'],
    ['fuel-code session 3f2a91c0 --transcript --subagents --full', 'Every word of it.'],
    ['fuel-code session 3f2a91c0 --transcript --json', 'The same for a program.'],
    ['fuel-code session 3f2a91c0 --git', 'Its commits, checkouts, merges and pushes.'],
  ],
  run: async (context, args) => {
    await using app = await context.openApp();
    if (!args.flags.has('no-import')) await catchUp(context, app, { rowsOnly: true });
    const found = await app.reads.getSession(args.positionals[0] ?? '');
    if (args.flags.has('export')) return await printExport(context.terminal, app, found.id);
    const isAnew = args.flags.has('reparse') || (args.flags.has('restore') && found.lifecycle === 'archived');
    if (isAnew) await deriveAgain(context, app, found.id);
    const tag = args.values.get('tag');
    if (tag !== undefined) await addTag(context, app, found.id, tag);
    await show(context.terminal, app, found.id, args);
  },
};

async function addTag({ clock }: CommandContext, app: App, session: string, tag: string): Promise<void> {
  const now = clock.now().toISOString();
  await annotate(app, (tx) => tagSession(tx, { session, mode: 'add', tags: [tag] }, now));
}

async function show(terminal: Terminal, app: App, id: string, args: ParsedArguments): Promise<void> {
  const isJson = args.flags.has('json');
  if (args.flags.has('steps')) return showSteps(terminal, app, id, isJson);
  if (args.flags.has('events')) return showEvents(terminal, app, id, isJson);
  if (args.flags.has('git')) return showGit(terminal, app, id, isJson);
  const session = await app.reads.getSession(id);
  const hasTranscript = args.flags.has('transcript');
  if (isJson) return showJson(terminal, app, session, hasTranscript);
  terminal.out(renderDetail(terminal, session));
  if (hasTranscript) await showTranscript(terminal, app, id, args);
}

async function showJson(terminal: Terminal, app: App, session: SessionDetail, hasTranscript: boolean): Promise<void> {
  const messages = hasTranscript ? await Array.fromAsync(readWholeTranscript(app.reads, session.id)) : null;
  terminal.out(`${JSON.stringify(messages === null ? session : { ...session, messages }, null, 2)}\n`);
}

async function showTranscript(terminal: Terminal, app: App, id: string, { flags }: ParsedArguments): Promise<void> {
  const view = {
    terminal,
    columns: Math.min(terminal.columns, READING_COLUMNS),
    isFull: flags.has('full'),
    hasThinking: flags.has('thinking') || flags.has('full'),
    hasSubagents: flags.has('subagents'),
  };
  for await (const text of renderTranscript(view, app.reads, id)) terminal.out(text);
}

async function printExport(terminal: Terminal, app: App, sessionId: string): Promise<void> {
  const { exportParse } = await import('../run-by-hand.ts');
  for await (const text of exportParse(app, sessionId)) terminal.out(text);
}

async function deriveAgain(context: CommandContext, app: App, sessionId: string): Promise<void> {
  const { reparse } = await import('../run-by-hand.ts');
  const now = context.clock.now().toISOString();
  const { failed } = await withProgress(context, (run) => reparse(app, [sessionId], now, run));
  for (const { path, error } of failed) remark(context.terminal, `Failed: ${path}: ${error}`);
}
