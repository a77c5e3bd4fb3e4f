import type { SessionDetail } from '../api/sessions.ts';
import { FuelError } from '../domain/errors.ts';
import {
  type Command,
  JSON_OPTION,
  NO_IMPORT_OPTION,
  NO_PAGER_OPTION,
  onlyOneOf,
  type ParsedArguments,
  REMOTE_OPTIONS,
} from './command.ts';
import { EXPORT_OPTIONS, printExport, readExport } from './export-session.ts';
import { FIELDS_OPTION, NDJSON_OPTION, noteFailed, printJson, streamRows } from './output.ts';
import { readFields, selectFields } from './select-fields.ts';
import { READING_COLUMNS, renderDetail } from './session-detail.ts';
import { SESSION_LIST_OPTIONS, wantedList } from './session-lists.ts';
import { openSource, type Source } from './source.ts';
import type { Terminal } from './terminal.ts';
import { renderTranscript } from './transcript/print-transcript.ts';
import { readWholeTranscript } from './transcript/read-transcript.ts';

/** What can be shown instead of the summary, one at a time. */
const VIEWS = ['transcript', ...Object.keys(SESSION_LIST_OPTIONS), 'export'];

export const command: Command = {
  name: 'session',
  about: 'Show one session.',
  operands: '<id or prefix>',
  minOperands: 1,
  maxOperands: 1,
  options: onlyOneOf(VIEWS, {
    transcript: { type: 'boolean', about: 'Show the conversation.' },
    subagents: {
      type: 'boolean',
      needs: ['transcript'],
      about: 'With --transcript: include sub-agents where they were called.',
    },
    thinking: { type: 'boolean', needs: ['transcript'], about: 'With --transcript: include the model’s thinking.' },
    full: {
      type: 'boolean',
      needs: ['transcript'],
      about: 'With --transcript: show full outputs and diffs, and text sent only to the model.',
    },
    ...SESSION_LIST_OPTIONS,
    tag: { type: 'string', value: 'TAG', about: 'Add a tag first.' },
    reparse: { type: 'boolean', about: 'Parse it again from the archive first.' },
    restore: { type: 'boolean', about: 'Restore the rows of an archived session first.' },
    ...EXPORT_OPTIONS,
    'no-import': NO_IMPORT_OPTION,
    json: { ...JSON_OPTION, excludes: ['export'] },
    ndjson: {
      ...NDJSON_OPTION,
      excludes: ['json', 'export'],
      about: 'For the lists above: print JSON, one row per line.',
    },
    fields: {
      ...FIELDS_OPTION,
      needs: ['json', 'ndjson'],
      excludes: ['export'],
      about: 'With --json or --ndjson: only these fields, comma-separated; an unknown name lists all.',
    },
    'no-pager': NO_PAGER_OPTION,
    ...REMOTE_OPTIONS,
  }),
  examples: [
    ['fuel-code session 3f2a91c0', 'Show a summary.'],
    ['fuel-code session 3f2a91c0 --transcript', 'Read the conversation.'],
    ['fuel-code session 3f2a91c0 --transcript --subagents --full', 'Read all of it, including sub-agents.'],
    ['fuel-code session 3f2a91c0 --transcript --json', 'The same as JSON.'],
    ['fuel-code session 3f2a91c0 --export md --turns 3-7 > session.md', 'Export some turns as Markdown for GitHub.'],
    [
      'fuel-code session 3f2a91c0 --export html > session.html',
      'Export a page to send to someone; `fuel-code share` creates a link.',
    ],
    ['fuel-code session 3f2a91c0 --git', 'Show commits, checkouts, merges and pushes.'],
    ['fuel-code session 3f2a91c0 --questions', 'Show questions and answers.'],
  ],
  run: async (context, args) => {
    const { terminal } = context;
    const exported = readExport(args);
    await using source = await openSource(context, args, 'rows');
    const { id, lifecycle } = await source.get('/sessions/:id', { params: { id: args.positionals[0] ?? '' } });
    const isParsedAgain = args.flags.has('reparse') || (args.flags.has('restore') && lifecycle === 'archived');
    if (isParsedAgain) noteFailed(terminal, (await source.reparse([id])).failed);
    const tag = args.values.get('tag');
    if (tag !== undefined) await source.send('PATCH /sessions/:id', { params: { id }, body: { add_tags: [tag] } });
    if (exported === null) await show(terminal, source, id, args);
    else await printExport(terminal, source, id, exported);
  },
};

async function show(terminal: Terminal, source: Source, id: string, args: ParsedArguments): Promise<void> {
  const { flags } = args;
  const list = wantedList(flags);
  if (list !== null) return list.show(terminal, source, id, args);
  const hasTranscript = flags.has('transcript');
  if (flags.has('ndjson')) return streamTranscript(terminal, source, id, args);
  const session = await source.get('/sessions/:id', { params: { id } });
  if (flags.has('json')) return showJson(terminal, source, session, args);
  terminal.out(renderDetail(terminal, session));
  if (hasTranscript) await showTranscript(terminal, source, session, args);
}

/** One message per line. Errors: usage without a list. */
async function streamTranscript(terminal: Terminal, source: Source, id: string, args: ParsedArguments): Promise<void> {
  if (!args.flags.has('transcript')) {
    throw new FuelError('usage', '--ndjson requires a list, for example --transcript, --events or --git.', {
      hint: 'Use --json for the session itself.',
    });
  }
  await streamRows(terminal, args, readWholeTranscript(source, id), { rows: (message) => [message] });
}

async function showJson(
  terminal: Terminal,
  source: Source,
  session: SessionDetail,
  args: ParsedArguments,
): Promise<void> {
  const fields = readFields(args);
  const choose = (row: object) => (fields === null ? row : selectFields(row, fields));
  if (!args.flags.has('transcript')) return printJson(terminal, choose(session));
  const messages = await Array.fromAsync(readWholeTranscript(source, session.id));
  printJson(terminal, { ...session, messages: messages.map(choose) });
}

async function showTranscript(
  terminal: Terminal,
  source: Source,
  session: SessionDetail,
  { flags }: ParsedArguments,
): Promise<void> {
  const view = {
    terminal,
    columns: Math.min(terminal.columns, READING_COLUMNS),
    isFull: flags.has('full'),
    hasThinking: flags.has('thinking') || flags.has('full'),
    hasSubagents: flags.has('subagents'),
  };
  for await (const text of renderTranscript(view, source, session)) terminal.out(text);
}
