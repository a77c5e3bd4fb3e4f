import { listToolStats, type ToolStats } from '../store/queries/work-stats.ts';
import { catchUp } from './catch-up.ts';
import { type Command, NO_IMPORT_OPTION } from './command.ts';
import { formatCount, formatDuration } from './format.ts';
import { LIST_OPTIONS, printList } from './list.ts';
import { readNumber } from './parse-arguments.ts';
import { FILTER_OPTIONS, readFilter, readOneSession, SESSION_OPTION } from './session-filter.ts';
import type { Column } from './table.ts';

const DEFAULT_ROWS = 30;
const MAX_ROWS = 10_000;

export const command: Command = {
  name: 'tools',
  about: 'Tell which tools were called, how often, how long, and how often they failed.',
  options: {
    session: SESSION_OPTION,
    ...FILTER_OPTIONS,
    limit: { type: 'string', short: 'n', value: 'N', about: `How many (default ${DEFAULT_ROWS}).` },
    'no-import': NO_IMPORT_OPTION,
    ...LIST_OPTIONS,
  },
  examples: [
    ['fuel-code tools', 'Over all sessions.'],
    ['fuel-code tools --workspace shop --since 7d', 'There, this week.'],
    ['fuel-code tools --session 3f2a91c0 --json', 'Of one session, for a program.'],
  ],
  run: async (context, args) => {
    const limit = readNumber(args, 'limit', { min: 1, max: MAX_ROWS, otherwise: DEFAULT_ROWS });
    await using app = await context.openApp();
    if (!args.flags.has('no-import')) await catchUp(context, app, { rowsOnly: true });
    const filter = await readFilter(app, args, context.clock.now());
    const query = { ...filter, ...(await readOneSession(app, args)) };
    const rows = await listToolStats(app.store.engine.kysely, query, limit);
    printList(context.terminal, args, { rows, columns: COLUMNS, csv: CSV_COLUMNS, empty: 'No tool was called.\n' });
  },
};

const CSV_COLUMNS = ['name', 'calls', 'sessions', 'errors', 'denied', 'total_ms', 'longest_ms'] as const;

const COLUMNS: readonly Column<ToolStats>[] = [
  { title: 'TOOL', grows: true, text: ({ name }) => name },
  { title: 'CALLS', align: 'right', text: ({ calls }) => formatCount(calls) },
  { title: 'SESSIONS', align: 'right', fromColumns: 60, text: ({ sessions }) => formatCount(sessions) },
  { title: 'FAILED', align: 'right', text: ({ errors, calls }) => shareOf(errors, calls) },
  { title: 'DENIED', align: 'right', fromColumns: 70, text: ({ denied, calls }) => shareOf(denied, calls) },
  { title: 'TIME', align: 'right', fromColumns: 50, text: ({ total_ms }) => formatDuration(total_ms) },
  { title: 'LONGEST', align: 'right', fromColumns: 80, text: ({ longest_ms }) => formatDuration(longest_ms) },
];

function shareOf(some: number, all: number): string {
  return some === 0 ? '–' : `${formatCount(some)} (${Math.max(1, Math.round((some / all) * 100))}%)`;
}
