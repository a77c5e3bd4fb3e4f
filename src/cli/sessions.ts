import type { SessionFilters, SessionPage, SessionRow } from '../api/sessions.ts';
import { MAX_PAGE_ROWS } from '../domain/requests.ts';
import { isLive } from '../domain/session.ts';
import { formatAgo, formatCompact, formatCost, formatDuration } from '../reading/format.ts';
import { shortId, titleOf } from '../reading/names.ts';
import { workspaceNameOf } from '../reading/session-facts.ts';
import {
  type Command,
  type CommandContext,
  limitOption,
  NO_IMPORT_OPTION,
  type ParsedArguments,
  REMOTE_OPTIONS,
} from './command.ts';
import { noteMore, printList, printNote, ROW_OPTIONS, readFormat, streamRows } from './output.ts';
import { readNumber } from './parse-arguments.ts';
import { FILTER_OPTIONS, needsIndex, readFilter } from './session-filter.ts';
import { isRemote, openSource, pagesOf, type Source, whyNoSessions } from './source.ts';
import type { Column } from './table.ts';
import type { Style } from './terminal.ts';

const DEFAULT_ROWS = 30;
const MAX_ROWS = 10_000;

export const command: Command = {
  name: 'sessions',
  about: 'List sessions, newest first.',
  operands: '[query]',
  maxOperands: 32,
  options: {
    ...FILTER_OPTIONS,
    limit: limitOption('sessions', DEFAULT_ROWS, MAX_ROWS),
    all: {
      type: 'boolean',
      excludes: ['limit'],
      about: 'List every session, including those without a prompt (warm-ups, stray sub-agent files, empty files).',
    },
    cursor: { type: 'string', value: 'CURSOR', about: 'Continue after a previous page.' },
    'no-import': NO_IMPORT_OPTION,
    ...ROW_OPTIONS,
    ...REMOTE_OPTIONS,
  },
  examples: [
    ['fuel-code sessions', 'List the newest sessions.'],
    ['fuel-code sessions --workspace shop --since 7d', 'One workspace, last 7 days.'],
    ['fuel-code sessions --today --has commit,error', 'Today’s sessions with a commit and a failed call.'],
    ["fuel-code sessions 'model:opus cost>1 -is:pinned'", 'By any fields of the search language.'],
    ['fuel-code sessions --live', 'Running sessions.'],
    ['fuel-code sessions --all --csv > sessions.csv', 'All sessions, as CSV.'],
    ['fuel-code sessions --remote --device laptop', 'Sessions of one device on the server.'],
  ],
  run: async (context, args) => {
    const now = context.clock.now();
    const filter = readFilter(args, now, args.positionals);
    await using source = await openSource(context, args, needsIndex(filter, now) ? 'index' : 'rows');
    if (readFormat(args) === 'ndjson') return await streamSessions(context, source, args, filter);
    const { rows, next, hidden } = await fetchSessions(source, args, filter);
    const empty = rows.length === 0 ? `${(await whyNoSessions(source, isRemote(args))).join('\n')}\n` : '';
    await printList(context, args, {
      name: 'sessions',
      rows,
      page: { next_cursor: next, hidden },
      from: source,
      columns: columns(now, context.terminal.columns),
      csv: CSV_COLUMNS,
      empty,
    });
    noteMore(context.terminal, args, next, '--all or -n N');
    if (hidden > 0 && readFormat(args) === 'text') printNote(context.terminal, hiddenText(hidden));
  },
};

const CSV_COLUMNS = [
  'id',
  'started_at',
  'ended_at',
  'lifecycle',
  'workspace_name',
  'device_name',
  'git_branch',
  'title',
  'models',
  'total_messages',
  'tool_use_count',
  'subagent_count',
  'tokens_in',
  'tokens_out',
  'cache_read_tokens',
  'cache_write_tokens',
  'cost_estimate_usd',
  'duration_ms',
  'tags',
] as const;

interface Fetched {
  readonly rows: readonly SessionRow[];
  readonly next: string | null;
  readonly hidden: number;
}

async function fetchSessions(source: Source, args: ParsedArguments, filter: SessionFilters): Promise<Fetched> {
  const rows: SessionRow[] = [];
  let [hidden, next]: [number, string | null] = [0, null];
  for await (const page of sessionPages(source, args, filter)) {
    rows.push(...page.sessions);
    hidden = page.hidden;
    next = page.next_cursor;
  }
  return { rows, next, hidden };
}

function sessionPages(source: Source, args: ParsedArguments, filter: SessionFilters): AsyncGenerator<SessionPage> {
  const all = args.flags.has('all');
  const rows = all
    ? Number.POSITIVE_INFINITY
    : readNumber(args, 'limit', { min: 1, max: MAX_ROWS, otherwise: DEFAULT_ROWS });
  return pagesOf(
    { rows, pageRows: MAX_PAGE_ROWS, cursor: args.values.get('cursor') },
    (limit, cursor) => source.get('/sessions', { query: { ...filter, all, limit, cursor } }),
    ({ sessions }) => sessions.length,
  );
}

async function streamSessions(
  { terminal }: CommandContext,
  source: Source,
  args: ParsedArguments,
  filter: SessionFilters,
): Promise<void> {
  const last = await streamRows(terminal, args, sessionPages(source, args, filter), {
    rows: ({ sessions }) => sessions,
  });
  noteMore(terminal, args, last?.next_cursor ?? null, '--all or -n N');
}

/** `36 sessions without a prompt are hidden; --all shows them.` */
function hiddenText(count: number): string {
  const what = count === 1 ? '1 session without a prompt is' : `${formatCompact(count)} sessions without a prompt are`;
  return `${what} hidden; --all shows ${count === 1 ? 'it' : 'them'}.`;
}

/** Names of workspaces are shortened for the titles in a narrow terminal. */
const WIDE_COLUMNS = 100;

function columns(now: Date, terminalColumns: number): readonly Column<SessionRow>[] {
  const maxColumns = terminalColumns < WIDE_COLUMNS ? 14 : 24;
  return [
    { title: 'ID', text: ({ id }) => shortId(id), style: () => 'cyan' },
    { title: 'STARTED', text: ({ started_at }) => formatAgo(started_at, now), style: () => 'dim' },
    { title: 'WORKSPACE', fromColumns: 72, maxColumns, text: (row) => workspaceNameOf(row) ?? '' },
    {
      title: 'BRANCH',
      fromColumns: 130,
      maxColumns: 20,
      text: ({ git_branch }) => git_branch ?? '',
      style: () => 'dim',
    },
    { title: 'TITLE', grows: true, text: listTitle, style: titleStyle },
    { title: 'TIME', align: 'right', fromColumns: 60, text: ({ duration_ms }) => formatDuration(duration_ms) },
    { title: 'MSGS', align: 'right', fromColumns: 100, text: ({ total_messages }) => formatCompact(total_messages) },
    { title: 'TOOLS', align: 'right', fromColumns: 110, text: ({ tool_use_count }) => formatCompact(tool_use_count) },
    { title: 'TOKENS', align: 'right', fromColumns: 120, text: (row) => formatCompact(allTokens(row)) },
    { title: 'COST', align: 'right', text: (row) => formatCost(row.cost_estimate_usd, row.unknown_models) },
  ];
}

function listTitle(session: SessionRow): string {
  return isLive(session.lifecycle) ? `● ${titleOf(session)}` : titleOf(session);
}

/** Running sessions are green, sessions whose transcript could not be parsed red. */
function titleStyle({ lifecycle, parse_status }: SessionRow): Style | null {
  if (parse_status === 'failed') return 'red';
  return isLive(lifecycle) ? 'green' : null;
}

function allTokens(row: SessionRow): number | null {
  if (row.tokens_in === null) return null;
  return row.tokens_in + (row.tokens_out ?? 0) + (row.cache_read_tokens ?? 0) + (row.cache_write_tokens ?? 0);
}
