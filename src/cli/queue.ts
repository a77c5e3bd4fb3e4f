import { createIgnoreRule } from '../capture/ignore.ts';
import type { DeadLetter } from '../capture/spool/dead-letters.ts';
import { openSpool, type Spool, type SpoolStats } from '../capture/spool/spool.ts';
import { FuelError } from '../domain/errors.ts';
import type { Tx } from '../store/engine.ts';
import { listRefused, retryRefused, type Route } from '../store/queries/shipping/shipments.ts';
import { type Command, type CommandContext, JSON_OPTION, type ParsedArguments } from './command.ts';
import { countOf, formatAgo, formatBytes } from './format.ts';
import { printJson } from './json.ts';
import { renderTable } from './table.ts';

export const command: Command = {
  name: 'queue',
  about: 'Look after what the hooks have told and nobody has stored yet.',
  operands: '<status | drain | dead-letter | retry | drop> [id]',
  minOperands: 1,
  maxOperands: 2,
  options: {
    all: { type: 'boolean', about: 'With retry and drop: every dead letter.' },
    json: JSON_OPTION,
  },
  examples: [
    ['fuel-code queue status', 'How much waits.'],
    ['fuel-code queue drain', 'Store it now.'],
    ['fuel-code queue dead-letter', 'What could not be understood or was refused by the server, and why.'],
    ['fuel-code queue retry --all && fuel-code queue drain', 'Try that again, for example after an update.'],
    ['fuel-code queue drop 1794742159014-7503-835519', 'Forget one of them.'],
  ],
  run: async (context, args) => {
    const spool = openSpool(context.loaded.config.home, context.clock);
    const { value, text } = await act(context, args, spool);
    if (args.flags.has('json')) printJson(context.terminal, value);
    else context.terminal.out(text);
  },
};

interface Answer {
  readonly value: object;
  readonly text: string;
}

async function act(context: CommandContext, args: ParsedArguments, spool: Spool): Promise<Answer> {
  const [name = '', id] = args.positionals;
  if (id !== undefined && name !== 'retry' && name !== 'drop') {
    throw usage(`fuel-code queue ${name} does not know what to do with ${JSON.stringify(id)}.`);
  }
  switch (name) {
    case 'status': {
      const value = spool.stats();
      return { value, text: renderStats(value, context.clock.now()) };
    }
    case 'drain':
      return drain(context, spool);
    case 'dead-letter': {
      const value = [...spool.deadLetters(), ...(await listRefusals(context))];
      return { value: { dead_letters: value }, text: renderLetters(context, value) };
    }
    case 'retry':
      return retry(context, spool, args);
    case 'drop':
      return each(args, spool.deadLetters(), { act: async (id) => spool.drop(id), done: 'dropped' });
    default:
      throw usage(`fuel-code queue does not know ${JSON.stringify(name)}.`);
  }
}

async function drain({ openApp, clock }: CommandContext, spool: Spool): Promise<Answer> {
  await using app = await openApp();
  const { drainSpool } = await import('../ingest/events/drain-spool.ts');
  const ignoresProject = createIgnoreRule(app.config.ignore);
  const value = await drainSpool({
    spool,
    engine: app.store.engine,
    journal: app.journal,
    device: app.device,
    clock,
    ignoresProject,
  });
  const { accepted, duplicates, rejected, ignored, left } = value;
  const known = duplicates > 0 ? `, ${duplicates} known already` : '';
  const bad = rejected > 0 ? `, ${rejected} not understood (see \`fuel-code queue dead-letter\`)` : '';
  const out = ignored > 0 ? `, ${ignored} left out by your rules` : '';
  const rest = left > 0 ? `, ${left} left for later` : '';
  return { value, text: `${countOf(accepted, 'event')} stored${known}${bad}${out}${rest}.\n` };
}

/** What the server refused is tried again with the next round; what the hooks told goes back into the spool. */
async function retry(context: CommandContext, spool: Spool, args: ParsedArguments): Promise<Answer> {
  const letters = [...spool.deadLetters(), ...(await listRefusals(context))];
  const act = async (id: string) =>
    spool.retry(id) || (await onServer(context, false, (db, route) => retryRefused(db, route, id)));
  return each(args, letters, { act, done: 'put back into the queue' });
}

type Letter = Omit<DeadLetter, 'reason'> & { readonly reason: string };

/** What the configured server does not take; the database is opened only when there is one. */
async function listRefusals(context: CommandContext): Promise<readonly Letter[]> {
  const refused = await onServer(context, [], listRefused);
  return refused.map(({ id, detail, rejectedAt, attempts, sizeBytes }) => {
    return { id, reason: 'refused_by_server', detail, rejected_at: rejectedAt, attempts, size_bytes: sizeBytes };
  });
}

async function onServer<T>(
  { loaded, openApp }: CommandContext,
  otherwise: T,
  ask: (db: Tx, route: Route) => Promise<T>,
): Promise<T> {
  const server = loaded.config.serverUrl;
  if (server === null) return otherwise;
  await using app = await openApp();
  return await ask(app.store.engine.kysely, { server, deviceId: app.device.id });
}

/** One letter by its id, or all of them. Errors: usage, not_found. */
async function each(
  { positionals: [, id], flags }: ParsedArguments,
  letters: readonly { readonly id: string }[],
  { act, done }: { readonly act: (id: string) => Promise<boolean>; readonly done: string },
): Promise<Answer> {
  if ((id === undefined) === !flags.has('all')) throw usage('Say which dead letter: its id, or --all.');
  const ids = id === undefined ? letters.map((letter) => letter.id) : [id];
  const changed: string[] = [];
  for (const one of ids) if (await act(one)) changed.push(one);
  if (id !== undefined && changed.length === 0) {
    throw new FuelError('not_found', `There is no dead letter ${JSON.stringify(id)}.`, {
      hint: '`fuel-code queue dead-letter` lists them.',
    });
  }
  return { value: { changed }, text: `${countOf(changed.length, 'letter')} ${done}.\n` };
}

function renderStats(stats: SpoolStats, now: Date): string {
  const since = stats.oldest_at === null ? '' : `, the oldest from ${formatAgo(stats.oldest_at, now)}`;
  const lines = [
    `Waiting       ${countOf(stats.entries, 'entry', 'entries')}, ${formatBytes(stats.bytes)}${since}`,
    `Dead letters  ${stats.dead_letters}, ${formatBytes(stats.dead_letter_bytes)}`,
  ];
  if (stats.dropped > 0) lines.push(`Dropped       ${stats.dropped} calls of the hook; the scan finds their sessions`);
  if (stats.dead_letters_dropped > 0)
    lines.push(`Too old       ${stats.dead_letters_dropped} dead letters were removed`);
  if (stats.unknown > 0) lines.push(`Left alone    ${countOf(stats.unknown, 'file')}, perhaps of a newer fuel-code`);
  if (stats.was_open) lines.push('The spool was open to other users of this machine; it is closed now.');
  return `${lines.join('\n')}\n`;
}

function renderLetters({ terminal, clock }: CommandContext, letters: readonly Letter[]): string {
  if (letters.length === 0) return 'There are no dead letters.\n';
  const now = clock.now();
  return renderTable(
    terminal,
    [
      { title: 'ID', text: ({ id }) => id },
      { title: 'SINCE', text: ({ rejected_at }) => formatAgo(rejected_at, now) },
      { title: 'TRIES', align: 'right', text: ({ attempts }) => String(attempts) },
      { title: 'REASON', text: ({ reason }) => reason },
      { title: 'DETAIL', grows: true, text: ({ detail }) => detail },
    ],
    letters,
  );
}

function usage(message: string): FuelError {
  return new FuelError('usage', message, { hint: '`fuel-code queue --help` shows what it takes.' });
}
