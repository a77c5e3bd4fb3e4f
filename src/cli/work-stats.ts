import type { FileStats, ToolStats, ToolsQuery } from '../api/usage.ts';
import { DEFAULT_WORK_ROWS, MAX_WORK_ROWS } from '../domain/requests.ts';
import { formatAgo, formatCompact, formatElapsed, formatShare } from '../reading/format.ts';
import { type Command, limitOption, NO_IMPORT_OPTION, type ParsedArguments, REMOTE_OPTIONS } from './command.ts';
import { printList, printNote, ROW_OPTIONS } from './output.ts';
import { readNumber } from './parse-arguments.ts';
import { FILTER_OPTIONS, needsIndex, QUERY_OPTION, readFilter, SESSION_OPTION } from './session-filter.ts';
import { openSource, type Source } from './source.ts';
import type { Column } from './table.ts';

interface WorkCommand<T extends object> extends Omit<Command, 'options' | 'run'> {
  readonly empty: string;
  readonly csv: readonly (keyof T & string)[];
  columns(now: Date): readonly Column<T>[];
  list(source: Source, query: ToolsQuery, args: ParsedArguments): Promise<readonly T[]>;
}

const OPTIONS = {
  session: SESSION_OPTION,
  query: QUERY_OPTION,
  ...FILTER_OPTIONS,
  all: { type: 'boolean', about: 'Include sessions without a prompt, such as warm-ups and stray sub-agents.' },
  limit: limitOption('rows', DEFAULT_WORK_ROWS, MAX_WORK_ROWS),
  'no-import': NO_IMPORT_OPTION,
  ...ROW_OPTIONS,
  ...REMOTE_OPTIONS,
} as const;

/** A list of tools or files over all sessions, matching sessions or one session. */
function workCommand<T extends object>({ empty, csv, columns, list, ...command }: WorkCommand<T>): Command {
  return {
    ...command,
    options: OPTIONS,
    run: async (context, args) => {
      const limit = readNumber(args, 'limit', { min: 1, max: MAX_WORK_ROWS, otherwise: DEFAULT_WORK_ROWS });
      const now = context.clock.now();
      const filter = readFilter(args, now);
      const oneMore = Math.min(limit + 1, MAX_WORK_ROWS);
      const query = { ...filter, all: args.flags.has('all'), session: args.values.get('session'), limit: oneMore };
      await using source = await openSource(context, args, needsIndex(filter, now) ? 'index' : 'rows');
      const found = await list(source, query, args);
      const rows = found.slice(0, limit);
      await printList(context, args, { name: command.name, rows, from: source, columns: columns(now), csv, empty });
      if (found.length > rows.length) printNote(context.terminal, 'More results: use -n N.');
    },
  };
}

const TOOL_COLUMNS: readonly Column<ToolStats>[] = [
  { title: 'TOOL', grows: true, text: ({ name }) => name },
  { title: 'CALLS', align: 'right', text: ({ calls }) => formatCompact(calls) },
  { title: 'SESSIONS', align: 'right', fromColumns: 60, text: ({ sessions }) => formatCompact(sessions) },
  {
    title: 'FAILED',
    align: 'right',
    text: ({ errors, calls }) => formatShare(errors, calls),
    style: ({ errors }) => (errors > 0 ? 'red' : 'dim'),
  },
  {
    title: 'DENIED',
    align: 'right',
    fromColumns: 70,
    text: ({ denied, calls }) => formatShare(denied, calls),
    style: ({ denied }) => (denied > 0 ? 'yellow' : 'dim'),
  },
  { title: 'TIME', align: 'right', fromColumns: 50, text: ({ total_ms }) => formatElapsed(total_ms) },
  { title: 'MEDIAN', align: 'right', fromColumns: 90, text: ({ median_ms }) => formatElapsed(median_ms) },
  { title: 'P95', align: 'right', fromColumns: 90, text: ({ p95_ms }) => formatElapsed(p95_ms) },
  { title: 'LONGEST', align: 'right', fromColumns: 80, text: ({ longest_ms }) => formatElapsed(longest_ms) },
];

export const toolsCommand = workCommand<ToolStats>({
  name: 'tools',
  about: 'Show which tools were called, how often, how long they took and how often they failed.',
  examples: [
    ['fuel-code tools', 'All sessions.'],
    ['fuel-code tools --workspace shop --since 7d', 'One workspace, last 7 days.'],
    ['fuel-code tools --session 3f2a91c0 --json', 'One session, as JSON.'],
  ],
  list: async ({ get }, query) => (await get('/tools', { query })).tools,
  columns: () => TOOL_COLUMNS,
  csv: ['name', 'calls', 'sessions', 'errors', 'denied', 'total_ms', 'median_ms', 'p95_ms', 'longest_ms'],
  empty: 'No tool calls found.\n',
});

export const filesCommand = workCommand<FileStats>({
  name: 'files',
  about: 'Show which files were read and written, most written first.',
  operands: '[part of a path]',
  maxOperands: 1,
  examples: [
    ['fuel-code files --since 7d', 'Files touched in the last 7 days.'],
    ['fuel-code files src/store', 'Only files whose path contains src/store.'],
    ['fuel-code files --session 3f2a91c0', 'Files one session touched.'],
  ],
  list: async ({ get }, query, { positionals: [path] }) =>
    (await get('/files', { query: { ...query, path: path || undefined } })).files,
  columns: fileColumns,
  csv: ['path', 'sessions', 'reads', 'writes', 'lines_added', 'lines_removed', 'last_at'],
  empty: 'No file reads or writes found.\n',
});

function fileColumns(now: Date): readonly Column<FileStats>[] {
  return [
    { title: 'FILE', grows: true, keeps: 'end', text: ({ path }) => path },
    { title: 'SESSIONS', align: 'right', fromColumns: 80, text: ({ sessions }) => formatCompact(sessions) },
    { title: 'READS', align: 'right', fromColumns: 60, text: ({ reads }) => formatCompact(reads) },
    { title: 'WRITES', align: 'right', text: ({ writes }) => formatCompact(writes) },
    { title: 'LINES', align: 'right', text: linesOf },
    { title: 'LAST', fromColumns: 70, text: ({ last_at }) => formatAgo(last_at, now), style: () => 'dim' },
  ];
}

function linesOf({ lines_added, lines_removed }: FileStats): string {
  return lines_added + lines_removed === 0 ? '–' : `+${formatCompact(lines_added)} −${formatCompact(lines_removed)}`;
}
