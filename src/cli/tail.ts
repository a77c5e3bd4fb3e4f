import type { SessionChange } from '../api/live.ts';
import type { BlockRow, MessageRow } from '../api/transcript.ts';
import { MAX_PAGE_ROWS } from '../domain/requests.ts';
import { fitWidth, visibleLine } from '../lib/terminal-text.ts';
import { entriesOf } from '../reading/entries.ts';
import type { Entry } from '../reading/entry.ts';
import { compactPlural, formatClockSeconds, formatCost } from '../reading/format.ts';
import { SHORT_ID_CHARS, shortId, titleOf } from '../reading/names.ts';
import { NO_PARTS } from '../reading/parts.ts';
import { type Command, JSON_OPTION, REMOTE_OPTIONS } from './command.ts';
import { printNote, waitForReader } from './output.ts';
import { readNumber } from './parse-arguments.ts';
import { READING_COLUMNS, stateWord } from './session-detail.ts';
import { openSource, type Source } from './source.ts';
import { paint, type Terminal } from './terminal.ts';
import { groupEntries, renderGroup } from './transcript/print-transcript.ts';
import { readThread } from './transcript/read-transcript.ts';
import type { View } from './transcript/view.ts';

const DEFAULT_MESSAGES = 10;
const MAX_MESSAGES = 10_000;

export const command: Command = {
  name: 'tail',
  about: 'Follow one session or all sessions until Ctrl-C.',
  operands: '[id or prefix]',
  maxOperands: 1,
  options: {
    lines: {
      type: 'string',
      short: 'n',
      value: 'N',
      about: `Number of messages to start with (default ${DEFAULT_MESSAGES}, at most ${MAX_MESSAGES}).`,
    },
    'no-import': {
      type: 'boolean',
      about: 'Do not import; only show what other processes (worker, web server) import.',
    },
    json: { ...JSON_OPTION, about: 'Print JSON, one event per line.' },
    ...REMOTE_OPTIONS,
  },
  examples: [
    ['fuel-code tail', 'Follow all running sessions.'],
    ['fuel-code tail 3f2a91c0', 'Follow one session.'],
    ['fuel-code tail --json | jq -r .id', 'For use in scripts.'],
  ],
  run: async (context, args) => {
    const count = readNumber(args, 'lines', { min: 0, max: MAX_MESSAGES, otherwise: DEFAULT_MESSAGES });
    await using source = await openSource(context, args, 'rows');
    const name = args.positionals[0];
    const sessionId = name === undefined ? null : (await source.get('/sessions/:id', { params: { id: name } })).id;
    const isJson = args.flags.has('json');
    const show = isJson ? jsonLines(context.terminal) : textLines(context.terminal, source);
    if (sessionId !== null) await show.messages(await lastMessages(source, sessionId, count));
    else if (!isJson && !(await hasLiveSession(source)))
      printNote(context.terminal, 'No session is running; waiting for one. Press Ctrl-C to stop.');
    const news = followConversations(source);
    for await (const event of source.follow({ sessionId, imports: !args.flags.has('no-import') })) {
      if (event.type === 'session' && sessionId === null) {
        await show.change(event.data);
        if (!isJson) await show.messages(await news(event.data.id));
      }
      if (event.type === 'messages') await show.messages(event.data.messages);
      await waitForReader(context.terminal, context.signal);
    }
  },
};

async function hasLiveSession(source: Source): Promise<boolean> {
  return (await source.get('/sessions', { query: { lifecycle: 'capturing', limit: 1 } })).sessions.length > 0;
}

/** New messages of a session that has changed; for a session not seen before, its last message. */
function followConversations(source: Source): (sessionId: string) => Promise<readonly MessageRow[]> {
  const lastSeen = new Map<string, number>();
  return async (sessionId) => {
    const last = lastSeen.get(sessionId);
    // The last message is read again: it may have grown.
    const messages =
      last === undefined ? await lastMessages(source, sessionId, 1) : await messagesAfter(source, sessionId, last - 1);
    const newest = messages.at(-1);
    if (newest !== undefined) lastSeen.set(sessionId, newest.ordinal);
    return messages;
  };
}

/** Main conversation only. */
async function messagesAfter(source: Source, id: string, after: number): Promise<readonly MessageRow[]> {
  const query = { after, limit: MAX_PAGE_ROWS, agent_id: ['main'] };
  return (await source.get('/sessions/:id/transcript', { params: { id }, query })).messages;
}

/** The last messages of the main conversation. */
async function lastMessages(source: Source, sessionId: string, count: number): Promise<readonly MessageRow[]> {
  const last: MessageRow[] = [];
  for await (const message of readThread(source, sessionId, null)) {
    last.push(message);
    if (last.length > count) last.shift();
  }
  return last;
}

interface Show {
  change(change: SessionChange): Promise<void>;
  messages(messages: readonly MessageRow[]): Promise<void>;
}

function jsonLines(terminal: Terminal): Show {
  const line = (value: unknown) => terminal.out(`${JSON.stringify(value)}\n`);
  return { change: async (change) => line(change), messages: async (messages) => messages.forEach(line) };
}

function textLines(terminal: Terminal, source: Source): Show {
  const columns = Math.min(terminal.columns, READING_COLUMNS);
  const view: View = { terminal, columns, isFull: false, hasThinking: false, hasSubagents: false };
  const takeNew = rememberBlocks();
  return {
    change: async (change) => terminal.out(await changeLine(terminal, source, change)),
    messages: async (messages) => {
      for await (const lines of renderNew(view, takeNew(messages))) terminal.out(`${lines.join('\n')}\n`);
    },
  };
}

async function changeLine(terminal: Terminal, source: Source, { id }: SessionChange): Promise<string> {
  const session = await source.get('/sessions/:id', { params: { id } });
  const facts = [
    formatClockSeconds(session.updated_at),
    stateWord(session),
    compactPlural(session.total_messages ?? 0, 'message'),
    formatCost(session.cost_estimate_usd, session.unknown_models),
    session.workspace_name,
    titleOf(session),
  ];
  const text = fitWidth(visibleLine(facts.join('  ')), terminal.columns - SHORT_ID_CHARS - 2);
  return `${paint(terminal, 'cyan', shortId(id))}  ${text}\n`;
}

/**
 * A message that has grown arrives again; only its new blocks are shown. A result that arrives after its call is shown
 * together with the call.
 */
function rememberBlocks(): (messages: readonly MessageRow[]) => MessageRow[] {
  const counts = new Map<string, number>();
  const uses = new Map<string, BlockRow>();
  return (messages) => {
    const earlier = new Map(uses);
    return messages.map((message) => {
      const fresh = message.content_blocks.slice(counts.get(message.id) ?? 0);
      counts.set(message.id, message.content_blocks.length);
      const calls = fresh.flatMap(({ tool_result_id }) => earlier.get(tool_result_id ?? '') ?? []);
      for (const block of fresh) if (block.tool_use_id !== null) uses.set(block.tool_use_id, block);
      return { ...message, content_blocks: [...calls, ...fresh] };
    });
  };
}

async function* renderNew(view: View, messages: readonly MessageRow[]): AsyncGenerator<readonly string[]> {
  const entries = entriesOf(messages, { parts: NO_PARTS, cwd: null }).map(withoutMissing);
  for await (const group of groupEntries(entries)) {
    const lines = renderGroup(view, group, new Map());
    if (lines.length > 0) yield lines;
  }
}

/** A call without a result is still running. */
function withoutMissing(entry: Entry): Entry {
  if (entry.kind !== 'tool' || entry.call.result !== null) return entry;
  return { ...entry, call: { ...entry.call, outcome: { ...entry.call.outcome, text: '' } } };
}
