import { DATE_FORMS, startOfDate } from '../lib/dates.ts';
import { follow } from '../lib/follow.ts';
import {
  isAtLeast,
  LOG_LEVELS,
  LOG_START,
  type LogEntry,
  type LogLevel,
  type LogPosition,
  logFolder,
  readLog,
} from '../lib/log.ts';
import { visibleLine } from '../lib/terminal-text.ts';
import { plural } from '../reading/format.ts';
import { type Command, type CommandContext, JSON_OPTION, type ParsedArguments } from './command.ts';
import { printNote, wrapLines } from './output.ts';
import { readChoice, readNumber } from './parse-arguments.ts';
import { paint, type Style, type Terminal } from './terminal.ts';

const DEFAULT_LINES = 50;
const MAX_LINES = 200_000;
/** Polling interval while following, in addition to file watches. */
const LOOK_MS = 1_000;

export const command: Command = {
  name: 'logs',
  about: 'Show worker and server logs.',
  options: {
    follow: { type: 'boolean', short: 'f', about: 'Keep printing new entries until Ctrl-C.' },
    limit: { type: 'string', short: 'n', value: 'N', about: `Number of lines to show (default ${DEFAULT_LINES}).` },
    level: {
      type: 'string',
      value: 'LEVEL',
      values: LOG_LEVELS,
      about: `Minimum level: ${LOG_LEVELS.join(', ')} (default ${LOG_LEVELS[0]}).`,
    },
    since: { type: 'string', value: 'DATE', about: `First date: ${DATE_FORMS}.` },
    json: { ...JSON_OPTION, about: 'Print JSON, one entry per line.' },
  },
  examples: [
    ['fuel-code logs', 'Show the latest entries.'],
    ['fuel-code logs --level error --since 7d', 'Errors from the last week.'],
    ['fuel-code logs --follow', 'Follow the log.'],
  ],
  run: async (context, args) => {
    const limit = readNumber(args, 'limit', { min: 1, max: MAX_LINES, otherwise: DEFAULT_LINES });
    const isWanted = readFilter(args, context.clock.now());
    const { entries, end } = readEntries(context, LOG_START, isWanted);
    const show = args.flags.has('json') ? asJson : asText(context.terminal);
    const print = (some: readonly LogEntry[]) => some.forEach((entry) => context.terminal.out(`${show(entry)}\n`));
    print(entries.slice(-limit));
    if (args.flags.has('follow')) await followEntries(context, end, isWanted, print);
    else if (entries.length === 0) printNote(context.terminal, `No matching entries in ${folderOf(context)}.`);
  },
};

type Filter = (entry: LogEntry) => boolean;

/** Errors: usage, naming the invalid word. */
function readFilter(args: ParsedArguments, now: Date): Filter {
  const level = readChoice(args, 'level', LOG_LEVELS) ?? LOG_LEVELS[0];
  const since = args.values.get('since');
  const first = since === undefined ? '' : startOfDate(since, { now, name: '--since' });
  return (entry) => isAtLeast(entry.level, level) && entry.time >= first;
}

function readEntries(context: CommandContext, from: LogPosition, isWanted: Filter) {
  const { entries, broken, end } = readLog(folderOf(context), from);
  if (broken > 0) printNote(context.terminal, `Skipped ${plural(broken, 'incomplete line')}.`);
  return { entries: entries.filter(isWanted), end };
}

function folderOf({ loaded }: CommandContext): string {
  return logFolder(loaded.config.home);
}

async function followEntries(
  context: CommandContext,
  from: LogPosition,
  isWanted: Filter,
  print: (entries: readonly LogEntry[]) => void,
): Promise<void> {
  const follower = follow(() => [folderOf(context)], context.signal);
  try {
    for (let position = from; (await follower.next(LOOK_MS)) !== 'stopped'; ) {
      const { entries, end } = readEntries(context, position, isWanted);
      print(entries);
      position = end;
    }
  } finally {
    follower.close();
  }
}

function asJson({ time, level, message, fields }: LogEntry): string {
  return JSON.stringify({ time, level, message, ...fields });
}

const STYLES: Readonly<Record<LogLevel, Style>> = { debug: 'dim', info: 'green', warn: 'yellow', error: 'red' };
const LEVEL_CHARS = 5;
/** With seconds: 2026-11-15T12:00:00. */
const TIME_CHARS = 19;

function asText(terminal: Terminal): (entry: LogEntry) => string {
  return ({ time, level, message, fields: { by, pid, ...facts } }) => {
    const stamp = `${visibleLine(time.slice(0, TIME_CHARS))}Z ${level.padEnd(LEVEL_CHARS)}`;
    const speaker = by === undefined ? '' : `${quoteValue(by)}[${quoteValue(pid)}]: `;
    const more = Object.entries(facts).map(([name, value]) => `${name}=${quoteValue(value)}`);
    const text = wrapLines(terminal, `${stamp} ${visibleLine([speaker + message, ...more].join(' '))}`);
    return paint(terminal, STYLES[level], text.slice(0, stamp.length)) + text.slice(stamp.length);
  };
}

/** Quoted if its end would otherwise be ambiguous. */
function quoteValue(value: unknown): string {
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
}
