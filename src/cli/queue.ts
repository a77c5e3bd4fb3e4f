import { openQueue, type Queue, type QueuedFailure, type SpoolStats } from '../app/queue.ts';
import { FuelError } from '../domain/errors.ts';
import { formatAgo, formatBytes, plural } from '../reading/format.ts';
import { type Command, type CommandContext, JSON_OPTION, type ParsedArguments } from './command.ts';
import { printJson } from './output.ts';
import { renderTable } from './table.ts';

export const command: Command = {
  name: 'queue',
  about: 'Inspect and process hook events that are not stored yet.',
  actions: { status: '', drain: '', 'dead-letter': '', retry: '[ID]', drop: '[ID]' },
  minOperands: 1,
  options: {
    all: { type: 'boolean', actions: ['retry', 'drop'], about: 'With retry and drop: all dead letters.' },
    json: JSON_OPTION,
  },
  examples: [
    ['fuel-code queue status', 'Show how many events are queued.'],
    ['fuel-code queue drain', 'Store queued events now.'],
    ['fuel-code queue dead-letter', 'List invalid and rejected events with the reasons.'],
    ['fuel-code queue retry --all && fuel-code queue drain', 'Retry all dead letters, for example after an update.'],
    ['fuel-code queue drop 1794742159014-7503-835519', 'Delete one dead letter.'],
  ],
  run: async (context, args) => {
    const { loaded, clock, openApp } = context;
    const { value, text } = await run(context, args, openQueue({ config: loaded.config, clock, openApp }));
    if (args.flags.has('json')) printJson(context.terminal, value);
    else context.terminal.out(text);
  },
};

interface Answer {
  readonly value: object;
  readonly text: string;
}

async function run(context: CommandContext, args: ParsedArguments, queue: Queue): Promise<Answer> {
  switch (args.positionals[0]) {
    case 'status': {
      const value = queue.stats();
      return { value, text: renderStats(value, context.clock.now()) };
    }
    case 'drain':
      return drain(queue);
    case 'dead-letter': {
      const value = await queue.failures();
      return { value: { dead_letters: value }, text: renderLetters(context, value) };
    }
    case 'retry':
      return each(args, await queue.failures(), { apply: queue.retry, done: 'queued again' });
    default:
      return each(args, queue.droppable(), { apply: async (id) => queue.drop(id), done: 'dropped' });
  }
}

async function drain(queue: Queue): Promise<Answer> {
  const value = await queue.drain();
  const { accepted, duplicates, rejected, ignored, left } = value;
  const known = duplicates > 0 ? `, ${duplicates} already known` : '';
  const bad = rejected > 0 ? `, ${rejected} invalid (see \`fuel-code queue dead-letter\`)` : '';
  const out = ignored > 0 ? `, ${ignored} ignored by your rules` : '';
  const rest = left > 0 ? `, ${left} left for later` : '';
  return { value, text: `${plural(accepted, 'event')} stored${known}${bad}${out}${rest}.\n` };
}

/** One dead letter by its id, or all of them. Errors: usage, not_found. */
async function each(
  { positionals: [, id], flags }: ParsedArguments,
  letters: readonly { readonly id: string }[],
  { apply, done }: { readonly apply: (id: string) => Promise<boolean>; readonly done: string },
): Promise<Answer> {
  if ((id === undefined) === !flags.has('all')) {
    throw new FuelError('usage', 'Specify the id of a dead letter, or --all.', {
      hint: '`fuel-code queue dead-letter` lists them.',
    });
  }
  const ids = id === undefined ? letters.map((letter) => letter.id) : [id];
  const changed: string[] = [];
  for (const one of ids) if (await apply(one)) changed.push(one);
  if (id !== undefined && changed.length === 0) {
    throw new FuelError('not_found', `No dead letter ${JSON.stringify(id)}.`, {
      hint: '`fuel-code queue dead-letter` lists them.',
    });
  }
  return { value: { changed }, text: `${plural(changed.length, 'dead letter')} ${done}.\n` };
}

function renderStats(stats: SpoolStats, now: Date): string {
  const since = stats.oldest_at === null ? '' : `, oldest from ${formatAgo(stats.oldest_at, now)}`;
  const lines = [
    `Waiting       ${plural(stats.entries, 'entry', 'entries')}, ${formatBytes(stats.bytes)}${since}`,
    `Dead letters  ${stats.dead_letters}, ${formatBytes(stats.dead_letter_bytes)}`,
  ];
  if (stats.dropped > 0)
    lines.push(`Dropped       ${plural(stats.dropped, 'hook call')}; the next import finds their sessions`);
  if (stats.dead_letters_dropped > 0)
    lines.push(`Removed       ${plural(stats.dead_letters_dropped, 'dead letter')}, too old`);
  if (stats.unknown > 0)
    lines.push(`Unknown       ${plural(stats.unknown, 'file')}, possibly from a newer fuel-code version`);
  if (stats.was_open) lines.push('The queue folder was accessible to other users; its permissions have been fixed.');
  return `${lines.join('\n')}\n`;
}

function renderLetters({ terminal, clock }: CommandContext, letters: readonly QueuedFailure[]): string {
  if (letters.length === 0) return 'No dead letters.\n';
  const now = clock.now();
  return renderTable(
    terminal,
    [
      { title: 'ID', text: ({ id }) => id, style: () => 'cyan' },
      { title: 'SINCE', text: ({ rejected_at }) => formatAgo(rejected_at, now) },
      { title: 'TRIES', align: 'right', text: ({ attempts }) => String(attempts) },
      { title: 'REASON', text: ({ reason }) => reason, style: () => 'red' },
      { title: 'DETAIL', grows: true, text: ({ detail }) => detail },
    ],
    letters,
  );
}
