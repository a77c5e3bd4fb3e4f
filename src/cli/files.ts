import { type FileStats, listFileStats } from '../store/queries/work-stats.ts';
import { catchUp } from './catch-up.ts';
import { type Command, NO_IMPORT_OPTION } from './command.ts';
import { formatAgo, formatCount } from './format.ts';
import { LIST_OPTIONS, printList } from './list.ts';
import { readNumber } from './parse-arguments.ts';
import { FILTER_OPTIONS, readFilter, readOneSession, SESSION_OPTION } from './session-filter.ts';
import type { Column } from './table.ts';

const DEFAULT_ROWS = 30;
const MAX_ROWS = 10_000;

export const command: Command = {
  name: 'files',
  about: 'Tell which files were read and written, most written first.',
  operands: '[part of a path]',
  maxOperands: 1,
  options: {
    session: SESSION_OPTION,
    ...FILTER_OPTIONS,
    limit: { type: 'string', short: 'n', value: 'N', about: `How many (default ${DEFAULT_ROWS}).` },
    'no-import': NO_IMPORT_OPTION,
    ...LIST_OPTIONS,
  },
  examples: [
    ['fuel-code files --since 7d', 'What this week went to.'],
    ['fuel-code files src/store', 'Only there.'],
    ['fuel-code files --session 3f2a91c0', 'What one session touched.'],
  ],
  run: async (context, args) => {
    const limit = readNumber(args, 'limit', { min: 1, max: MAX_ROWS, otherwise: DEFAULT_ROWS });
    await using app = await context.openApp();
    if (!args.flags.has('no-import')) await catchUp(context, app, { rowsOnly: true });
    const now = context.clock.now();
    const query = { ...(await readFilter(app, args, now)), ...(await readOneSession(app, args)) };
    const rows = await listFileStats(app.store.engine.kysely, query, { limit, part: args.positionals[0] ?? '' });
    const empty = 'No file was read or written.\n';
    printList(context.terminal, args, { rows, columns: columns(now), csv: CSV_COLUMNS, empty });
  },
};

const CSV_COLUMNS = ['path', 'sessions', 'reads', 'writes', 'lines_added', 'lines_removed', 'last_at'] as const;

function columns(now: Date): readonly Column<FileStats>[] {
  return [
    { title: 'FILE', grows: true, keeps: 'end', text: ({ path }) => path },
    { title: 'SESSIONS', align: 'right', fromColumns: 80, text: ({ sessions }) => formatCount(sessions) },
    { title: 'READS', align: 'right', fromColumns: 60, text: ({ reads }) => formatCount(reads) },
    { title: 'WRITES', align: 'right', text: ({ writes }) => formatCount(writes) },
    { title: 'LINES', align: 'right', text: linesOf },
    { title: 'LAST', fromColumns: 70, text: ({ last_at }) => formatAgo(last_at, now) },
  ];
}

function linesOf({ lines_added, lines_removed }: FileStats): string {
  return lines_added + lines_removed === 0 ? '–' : `+${formatCount(lines_added)} −${formatCount(lines_removed)}`;
}
