import type { GitActivityRow, TimelineItem, TimelinePage } from '../api/activity.ts';
import { createCalendar } from '../lib/calendar.ts';
import { SLOT_MS } from '../domain/usage.ts';
import { fitWidth, visibleLine } from '../lib/terminal-text.ts';
import { formatClock, formatCost, formatDuration } from '../reading/format.ts';
import { titleOf } from '../reading/names.ts';
import { type Command, NO_IMPORT_OPTION, REMOTE_OPTIONS, limitOption } from './command.ts';
import { csvRows, LIST_OPTIONS, printCsv, printJson, readFormat, noteMore } from './output.ts';
import { readNumber } from './parse-arguments.ts';
import { FILTER_OPTIONS, needsIndex, QUERY_OPTION, readFilter, readTimezone } from './session-filter.ts';
import { openSource } from './source.ts';
import { paint, type Terminal } from './terminal.ts';

const DEFAULT_ITEMS = 30;
const MAX_ITEMS = 200;
const ID_CHARS = 8;
const SHA_CHARS = 8;
const GIT_SHOWN = 5;

export const command: Command = {
  name: 'timeline',
  about: 'Show activity day by day: sessions with their commits, and other git activity.',
  options: {
    query: QUERY_OPTION,
    ...FILTER_OPTIONS,
    limit: limitOption('entries', DEFAULT_ITEMS, MAX_ITEMS),
    cursor: { type: 'string', value: 'CURSOR', about: 'Continue after a previous page.' },
    'no-import': NO_IMPORT_OPTION,
    ...LIST_OPTIONS,
    ...REMOTE_OPTIONS,
  },
  examples: [
    ['fuel-code timeline --since yesterday', 'Since yesterday, for example for a stand-up meeting.'],
    ['fuel-code timeline --workspace shop -n 100', 'History of one workspace.'],
  ],
  run: async (context, args) => {
    const format = readFormat(args);
    const limit = readNumber(args, 'limit', { min: 1, max: MAX_ITEMS, otherwise: DEFAULT_ITEMS });
    const now = context.clock.now();
    const filter = readFilter(args, now);
    const cursor = args.values.get('cursor');
    await using source = await openSource(context, args, needsIndex(filter, now) ? 'index' : 'rows');
    const page = await source.get('/timeline', { query: { ...filter, limit, cursor } });
    const { terminal } = context;
    if (format === 'json') printJson(terminal, page, source);
    else if (format === 'csv') await printCsv(context, args, csvRows(CSV_COLUMNS, page.items.flatMap(rowsOf)));
    else terminal.out(render(terminal, page, readTimezone(args)));
    noteMore(terminal, args, page.next_cursor, '-n N');
  },
};

const CSV_COLUMNS = ['at', 'kind', 'session_id', 'what', 'text', 'branch', 'commit', 'cost_usd'] as const;
type CsvRow = Readonly<Record<(typeof CSV_COLUMNS)[number], string | number | null>>;

function rowsOf(item: TimelineItem): readonly CsvRow[] {
  if (item.kind === 'git') return [gitRow(item.git_activity)];
  const { id, title, git_branch, cost_estimate_usd } = item.session;
  const session = { at: item.at, kind: 'session', session_id: id, what: 'session', text: title };
  return [
    { ...session, branch: git_branch, commit: null, cost_usd: cost_estimate_usd },
    ...item.git_activity.map(gitRow),
  ];
}

function gitRow(row: GitActivityRow): CsvRow {
  const { timestamp, session_id, type, message, branch, commit_sha } = row;
  const what = { at: timestamp, kind: 'git', session_id, what: type, text: message ?? (pullRequestText(row) || null) };
  return { ...what, branch, commit: commit_sha, cost_usd: null };
}

function render(terminal: Terminal, { items }: TimelinePage, timezone: string): string {
  if (items.length === 0) return 'No activity found.\n';
  const calendar = createCalendar(timezone);
  const days = Map.groupBy(items, ({ at }) => calendar.dayOf(Math.floor(Date.parse(at) / SLOT_MS)));
  const texts = [...days].map(([day, entries]) => {
    const lines = entries.flatMap((item) => renderItem(terminal, item, formatClock(item.at, timezone)));
    return [paint(terminal, 'bold', day), ...lines].join('\n');
  });
  return `${texts.join('\n\n')}\n`;
}

function renderItem(terminal: Terminal, item: TimelineItem, time: string): readonly string[] {
  if (item.kind === 'git') {
    const place = `${item.workspace_name} · `;
    return [`  ${paint(terminal, 'dim', time)}  ${gitText(terminal, item.git_activity, 9, place)}`];
  }
  const { session, git_activity } = item;
  const facts = [session.workspace_name, formatDuration(session.duration_ms), costText(item)].join(' · ');
  const title = titleOf(session);
  const id = session.id.slice(0, ID_CHARS);
  const room = terminal.columns - 11 - ID_CHARS;
  const rest = git_activity.length - GIT_SHOWN;
  return [
    `  ${paint(terminal, 'dim', time)}  ${paint(terminal, 'cyan', id)}  ${fitWidth(visibleLine(title), room)}`,
    `         ${paint(terminal, 'dim', fitWidth(visibleLine(facts), terminal.columns - 9))}`,
    ...git_activity.slice(0, GIT_SHOWN).map((git) => `         ${gitText(terminal, git, 9)}`),
    ...(rest > 0 ? [`         ${paint(terminal, 'dim', `and ${rest} more`)}`] : []),
  ];
}

function costText({ session }: Extract<TimelineItem, { readonly kind: 'session' }>): string {
  return formatCost(session.cost_estimate_usd, session.unknown_models);
}

function gitText(terminal: Terminal, row: GitActivityRow, margin: number, place = ''): string {
  const { type, branch, commit_sha, message } = row;
  const text = `${replacedMark(row)}${message ?? branch ?? pullRequestText(row)}${relationMark(row)}`;
  const what = [type, commit_sha?.slice(0, SHA_CHARS), text].filter(Boolean).join(' ');
  return fitWidth(visibleLine(`⎇ ${place}${what}`), terminal.columns - margin);
}

/** `#7 created` for a pull request; '' for everything else. */
export function pullRequestText({ type, data }: GitActivityRow): string {
  if (type !== 'pr') return '';
  const { number, action, url } = data;
  return [typeof number === 'number' ? `#${number}` : url, action].filter((word) => typeof word === 'string').join(' ');
}

/** Notes that an amend or a rebase replaced the commit. */
export function replacedMark({ replaced_by }: GitActivityRow): string {
  return replaced_by === null ? '' : '(replaced) ';
}

/** Activity of others during or right after a session does not belong to the session. */
export function relationMark({ relation }: GitActivityRow): string {
  return relation === null || relation === 'own' ? '' : ` (${relation})`;
}
