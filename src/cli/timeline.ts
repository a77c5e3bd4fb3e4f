import type { GitActivityRow, StoredEvent, TimelineItem, TimelinePage } from '../api/activity.ts';
import { shortSha } from '../domain/commits.ts';
import { fitWidth, visibleLine } from '../lib/terminal-text.ts';
import { formatClock, formatCost, formatDate, formatDuration } from '../reading/format.ts';
import { SHORT_ID_CHARS, shortId, titleOf } from '../reading/names.ts';
import { type Command, limitOption, MAX_STREAMED_ROWS, NO_IMPORT_OPTION, REMOTE_OPTIONS } from './command.ts';
import { csvRows, noteMore, printReport, ROW_OPTIONS, readFormat, streamRows } from './output.ts';
import { readNumber } from './parse-arguments.ts';
import { FILTER_OPTIONS, needsIndex, QUERY_OPTION, readFilter, readTimezone } from './session-filter.ts';
import { openSource, pagesOf } from './source.ts';
import { paint, type Terminal } from './terminal.ts';

const DEFAULT_ITEMS = 30;
const MAX_ITEMS = 200;
const GIT_SHOWN = 5;

export const command: Command = {
  name: 'timeline',
  about: 'Show activity day by day: sessions with their commits, other git activity, and events from scripts.',
  options: {
    query: QUERY_OPTION,
    ...FILTER_OPTIONS,
    limit: limitOption('entries', DEFAULT_ITEMS, MAX_ITEMS, MAX_STREAMED_ROWS),
    cursor: { type: 'string', value: 'CURSOR', about: 'Continue after a previous page.' },
    'no-import': NO_IMPORT_OPTION,
    ...ROW_OPTIONS,
    ...REMOTE_OPTIONS,
  },
  examples: [
    ['fuel-code timeline --since yesterday', 'Since yesterday, for example for a stand-up meeting.'],
    ['fuel-code timeline --workspace shop -n 100', 'History of one workspace.'],
  ],
  run: async (context, args) => {
    const isStream = readFormat(args) === 'ndjson';
    const max = isStream ? MAX_STREAMED_ROWS : MAX_ITEMS;
    const rows = readNumber(args, 'limit', { min: 1, max, otherwise: DEFAULT_ITEMS });
    const now = context.clock.now();
    const filter = readFilter(args, now);
    await using source = await openSource(context, args, needsIndex(filter, now) ? 'index' : 'rows');
    const pages = pagesOf(
      { rows, pageRows: MAX_ITEMS, cursor: args.values.get('cursor') },
      (limit, cursor) => source.get('/timeline', { query: { ...filter, limit, cursor } }),
      ({ items }) => items.length,
    );
    const { terminal } = context;
    const list = { rows: ({ items }: TimelinePage) => items, mayLack };
    const page = isStream ? await streamRows(terminal, args, pages, list) : ((await pages.next()).value ?? null);
    if (!isStream && page !== null) {
      await printReport(context, args, {
        answer: page,
        name: 'items',
        rows: page.items,
        mayLack,
        from: source,
        csv: () => csvRows(CSV_COLUMNS, page.items.flatMap(rowsOf)),
        text: () => terminal.out(render(terminal, page, readTimezone(args))),
      });
    }
    noteMore(terminal, args, page?.next_cursor ?? null, '-n N');
  },
};

/** Entries are of three kinds. */
const PARTS: ReadonlySet<string> = new Set(['session', 'git_activity', 'event', 'workspace_name']);
const mayLack = (field: string) => PARTS.has(field) || field.startsWith('event.data.');

const CSV_COLUMNS = ['at', 'kind', 'session_id', 'what', 'text', 'branch', 'commit', 'cost_usd'] as const;
type CsvRow = Readonly<Record<(typeof CSV_COLUMNS)[number], string | number | null>>;

function rowsOf(item: TimelineItem): readonly CsvRow[] {
  if (item.kind === 'git') return [gitRow(item.git_activity)];
  if (item.kind === 'event') return [eventRow(item.event)];
  const { id, title, git_branch, cost_estimate_usd } = item.session;
  const session = { at: item.at, kind: 'session', session_id: id, what: 'session', text: title };
  return [
    { ...session, branch: git_branch, commit: null, cost_usd: cost_estimate_usd },
    ...item.git_activity.map(gitRow),
  ];
}

function eventRow({ timestamp, session_id, type, data }: StoredEvent): CsvRow {
  const event = { at: timestamp, kind: 'event', session_id, what: type, text: dataText(data) };
  return { ...event, branch: null, commit: null, cost_usd: null };
}

/** `build=482 env=production`; databases keep no order of names. */
function dataText({ session_id: _, ...data }: StoredEvent['data']): string {
  return Object.entries(data)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
}

function gitRow(row: GitActivityRow): CsvRow {
  const { timestamp, session_id, type, message, branch, commit_sha } = row;
  const what = { at: timestamp, kind: 'git', session_id, what: type, text: message ?? (pullRequestText(row) || null) };
  return { ...what, branch, commit: commit_sha, cost_usd: null };
}

function render(terminal: Terminal, { items }: TimelinePage, timezone: string): string {
  if (items.length === 0) return 'No activity found.\n';
  const days = Map.groupBy(items, ({ at }) => formatDate(at, timezone));
  const texts = [...days].map(([day, entries]) => {
    const lines = entries.flatMap((item) =>
      renderItem(terminal, item, formatClock(item.at, timezone).padEnd(CLOCK_CHARS)),
    );
    return [paint(terminal, 'bold', day), ...lines].join('\n');
  });
  return `${texts.join('\n\n')}\n`;
}

const CLOCK_CHARS = 5;
/** Columns before the text of an item: its time. */
const MARGIN = 9;

function renderItem(terminal: Terminal, item: TimelineItem, time: string): readonly string[] {
  if (item.kind === 'git') {
    const place = `${item.workspace_name} · `;
    return [`  ${paint(terminal, 'dim', time)}  ${gitText(terminal, item.git_activity, place)}`];
  }
  if (item.kind === 'event') {
    const { workspace_name, event } = item;
    const text = [workspace_name, `${event.type} ${dataText(event.data)}`].filter(Boolean).join(' · ');
    return [`  ${paint(terminal, 'dim', time)}  ${fitWidth(visibleLine(`◆ ${text}`), terminal.columns - MARGIN)}`];
  }
  const { session, git_activity } = item;
  const facts = [session.workspace_name, formatDuration(session.duration_ms), costText(item)].join(' · ');
  const title = titleOf(session);
  const id = shortId(session.id);
  const room = terminal.columns - 11 - SHORT_ID_CHARS;
  const rest = git_activity.length - GIT_SHOWN;
  return [
    `  ${paint(terminal, 'dim', time)}  ${paint(terminal, 'cyan', id)}  ${fitWidth(visibleLine(title), room)}`,
    `         ${paint(terminal, 'dim', fitWidth(visibleLine(facts), terminal.columns - MARGIN))}`,
    ...git_activity.slice(0, GIT_SHOWN).map((git) => `         ${gitText(terminal, git)}`),
    ...(rest > 0 ? [`         ${paint(terminal, 'dim', `and ${rest} more`)}`] : []),
  ];
}

function costText({ session }: Extract<TimelineItem, { readonly kind: 'session' }>): string {
  return formatCost(session.cost_estimate_usd, session.unknown_models);
}

function gitText(terminal: Terminal, row: GitActivityRow, place = ''): string {
  const { type, branch, commit_sha, message } = row;
  const text = `${replacedMark(row)}${message ?? branch ?? pullRequestText(row)}${relationMark(row)}`;
  const what = [type, commit_sha && shortSha(commit_sha), text].filter(Boolean).join(' ');
  return fitWidth(visibleLine(`⎇ ${place}${what}`), terminal.columns - MARGIN);
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
function relationMark({ relation }: GitActivityRow): string {
  return relation === null || relation === 'own' ? '' : ` (${relation})`;
}
