import type { SessionChange } from '../api/live.ts';
import { FuelError } from '../domain/errors.ts';
import { fitWidth, visibleLine } from '../lib/terminal-text.ts';
import { formatClockSeconds, formatCost, plural } from '../reading/format.ts';
import { SHORT_ID_CHARS, shortId, titleOf } from '../reading/names.ts';
import { type Command, JSON_OPTION, REMOTE_OPTIONS } from './command.ts';
import { JSON_SCHEMA_VERSION, printNote, waitForReader } from './output.ts';
import { type Followed, openSource } from './source.ts';
import { paint, type Style, type Terminal } from './terminal.ts';

export const command: Command = {
  name: 'watch',
  about: 'Print sessions that begin, change, end or are deleted, until Ctrl-C.',
  options: {
    since: {
      type: 'string',
      value: 'CURSOR',
      about: 'Start with the changes after this cursor; every line has one.',
    },
    'no-import': {
      type: 'boolean',
      about: 'Do not import; only print what other processes (worker, web server) import.',
    },
    json: { ...JSON_OPTION, about: 'Print JSON, one change per line.' },
    ...REMOTE_OPTIONS,
  },
  examples: [
    ['fuel-code watch', 'Watch in the terminal.'],
    ['fuel-code watch --json | jq -r \'select(.change == "ended") | .id\'', 'Ids of sessions that have ended.'],
    ['fuel-code watch --json --since "$(cat cursor)"', 'Continue where an earlier run stopped.'],
    ['fuel-code watch --remote', 'Sessions of all devices on the server.'],
  ],
  run: async (context, args) => {
    const since = args.values.get('since');
    if (since !== undefined && !/^[0-9a-f]{8}-\d{1,15}$/.test(since)) throw noCursor(since);
    await using source = await openSource(context, args);
    const { terminal, signal } = context;
    const isJson = args.flags.has('json');
    const print = isJson ? printJsonLine : printTextLine;
    using heartbeat = isJson ? keepBeating(terminal) : null;
    for await (const event of source.follow({ sessionId: null, imports: !args.flags.has('no-import'), since })) {
      print(terminal, event);
      // Nothing is read while the reader is busy: a session that changes meanwhile is printed once, in its latest state.
      heartbeat?.pause();
      await waitForReader(terminal, signal);
      heartbeat?.resume();
    }
  },
};

const HEARTBEAT_MS = 60_000;

/** A closed pipe is only noticed by writing to it. No heartbeats are sent to a busy reader, so they do not accumulate. */
function keepBeating(terminal: Terminal): Disposable & { pause(): void; resume(): void } {
  let isPaused = false;
  const beat = () => {
    if (!isPaused) terminal.out(`${JSON.stringify({ type: 'heartbeat' })}\n`);
  };
  const timer = setInterval(beat, HEARTBEAT_MS);
  return {
    pause: () => void (isPaused = true),
    resume: () => void (isPaused = false),
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

function noCursor(given: string): FuelError {
  return new FuelError('usage', `${JSON.stringify(given)} is not a cursor.`, {
    hint: 'Use the cursor of a line that `fuel-code watch --json` printed.',
  });
}

function printJsonLine(terminal: Terminal, event: Followed): void {
  const line = jsonOf(event);
  if (line !== null) terminal.out(`${JSON.stringify(line)}\n`);
}

/** Null for events that are not about a session. */
function jsonOf({ type, data, cursor }: Followed): object | null {
  switch (type) {
    case 'hello':
    case 'reset':
      return { type, schema_version: JSON_SCHEMA_VERSION, cursor };
    case 'session': {
      const { change, ...session } = data;
      return { type, change, cursor, ...session };
    }
    case 'deleted':
      return { type: 'session', change: 'deleted', cursor, ...data };
    default:
      return null;
  }
}

function printTextLine(terminal: Terminal, { type, data }: Followed): void {
  if (type === 'hello') printNote(terminal, 'Waiting for changes. Press Ctrl-C to stop.');
  else if (type === 'reset') {
    printNote(terminal, 'The cursor is from another database; showing changes from now on.');
  } else if (type === 'session') terminal.out(sessionLine(terminal, data));
  else if (type === 'deleted') terminal.out(`${paintId(terminal, data.id)}  ${paint(terminal, 'red', 'deleted')}\n`);
}

const STYLES: Readonly<Record<SessionChange['change'], Style>> = { new: 'green', ended: 'yellow', changed: 'dim' };
const CHANGE_CHARS = 7;

function sessionLine(terminal: Terminal, session: SessionChange): string {
  const { id, change, updated_at, total_messages, cost_estimate_usd, workspace_name } = session;
  const facts = [
    formatClockSeconds(updated_at),
    ...(total_messages === null ? [] : [plural(total_messages, 'message'), formatCost(cost_estimate_usd)]),
    workspace_name,
    titleOf(session),
  ];
  const room = terminal.columns - SHORT_ID_CHARS - CHANGE_CHARS - 4;
  const text = fitWidth(visibleLine(facts.join('  ')), room);
  return `${paintId(terminal, id)}  ${paint(terminal, STYLES[change], change.padEnd(CHANGE_CHARS))}  ${text}\n`;
}

function paintId(terminal: Terminal, id: string): string {
  return paint(terminal, 'cyan', shortId(id));
}
