import type { ToolStats, UsageQuery, UsageReport, UsageRow } from '../api/usage.ts';
import { addDays } from '../domain/days.ts';
import { MAX_WORK_ROWS } from '../domain/requests.ts';
import { addUsage, dollars, NO_USAGE, type UsageGroup, type UsageSum } from '../domain/usage.ts';
import { fitWidth, padWidth, textWidth, visibleLine } from '../lib/terminal-text.ts';
import { formatCompact, formatCost, plural } from '../reading/format.ts';
import { bar, sparkline } from './chart.ts';
import { type Command, NO_IMPORT_OPTION, REMOTE_OPTIONS } from './command.ts';
import { csvRows, printReport, ROW_OPTIONS } from './output.ts';
import { type Fact, factLines } from './session-detail.ts';
import { FILTER_OPTIONS, needsIndex, QUERY_OPTION, readFilter, readTimezone } from './session-filter.ts';
import { openSource, type Source } from './source.ts';
import { paint, type Terminal } from './terminal.ts';

export const command: Command = {
  name: 'stats',
  about: 'Show key figures for a period: usage, activity, models, tools and workspaces.',
  options: {
    query: QUERY_OPTION,
    ...FILTER_OPTIONS,
    'no-import': NO_IMPORT_OPTION,
    ...ROW_OPTIONS,
    ...REMOTE_OPTIONS,
  },
  examples: [
    ['fuel-code stats', 'All sessions.'],
    ['fuel-code stats --since 1mo', 'The last month.'],
    ['fuel-code stats --workspace shop --csv', 'Figures per day, as CSV.'],
  ],
  run: async (context, args) => {
    const now = context.clock.now();
    const filter = readFilter(args, now);
    await using source = await openSource(context, args, needsIndex(filter, now) ? 'index' : 'rows');
    const stats = await readStats(source, { ...filter, zone: readTimezone(args) });
    const { terminal } = context;
    await printReport(context, args, {
      answer: { ...stats },
      name: 'days',
      rows: stats.days,
      from: source,
      csv: () => csvRows(CSV_COLUMNS, stats.days),
      text: () => terminal.out(render(terminal, stats)),
    });
  },
};

/** One item of a breakdown with its usage. */
interface Share extends UsageSum {
  readonly name: string;
  readonly cost_usd: number;
}

interface Stats {
  readonly sessions: number;
  readonly total: UsageSum & { readonly cost_usd: number };
  readonly active_days: number;
  /** Consecutive active days: the streak that ends on the last active day, and the longest one. */
  readonly last_streak_days: number;
  readonly longest_streak_days: number;
  readonly days: readonly Share[];
  readonly hours: readonly Share[];
  readonly models: readonly Share[];
  readonly workspaces: readonly Share[];
  readonly tools: readonly ToolStats[];
}

const CSV_COLUMNS = [
  'name',
  'messages',
  'tokens_in',
  'tokens_out',
  'cache_read_tokens',
  'cache_write_tokens',
  'cost_usd',
] as const;

const TOP = 8;

async function readStats(source: Source, query: Omit<UsageQuery, 'by'>): Promise<Stats> {
  const by = (group: UsageGroup) => source.get('/usage', { query: { ...query, by: [group] } });
  const [days, hours, models, workspaces, sessions] = await Promise.all(
    (['day', 'hour', 'model', 'workspace', 'session'] as const).map(by),
  );
  const dates = datesOf(sharesOf(days, 'day'));
  const streaks = streaksOf(dates);
  return {
    sessions: sessions?.rows.length ?? 0,
    total: withCost(days?.total ?? NO_USAGE),
    active_days: dates.length,
    last_streak_days: streaks.at(-1) ?? 0,
    longest_streak_days: Math.max(0, ...streaks),
    days: sharesOf(days, 'day'),
    hours: byHourOfDay(sharesOf(hours, 'hour')),
    models: sharesOf(models, 'model').toSorted(byWeight),
    workspaces: sharesOf(workspaces, 'workspace').toSorted(byWeight),
    // Like tokens and costs, including sessions without a prompt.
    tools: (await source.get('/tools', { query: { ...query, all: true, limit: MAX_WORK_ROWS } })).tools,
  };
}

function withCost(sum: UsageSum) {
  return { ...sum, cost_usd: dollars(sum.cost_nanos) };
}

function sharesOf(report: UsageReport | undefined, group: UsageGroup): Share[] {
  return (report?.rows ?? []).map(({ group: names, ...sum }: UsageRow) => ({
    name: names[group] ?? '',
    ...withCost(sum),
  }));
}

function byWeight(a: Share, b: Share): number {
  return b.cost_nanos - a.cost_nanos || b.messages - a.messages;
}

const HOURS = 24;

/** Usage by hour of the day over all days; empty hours are included so that nights show up. */
function byHourOfDay(hours: readonly Share[]): Share[] {
  return Array.from({ length: HOURS }, (_, hour) => {
    const name = String(hour).padStart(2, '0');
    const sum = hours.filter((share) => share.name.endsWith(`T${name}`)).reduce(addUsage, NO_USAGE);
    return { name, ...withCost(sum) };
  });
}

/** The days with usage; messages without a time have none. */
function datesOf(days: readonly Share[]): readonly string[] {
  return days.map(({ name }) => name).filter((name) => name !== '');
}

/** Lengths of the runs of consecutive days. */
function streaksOf(days: readonly string[]): readonly number[] {
  const streaks: number[] = [];
  days.forEach((day, at) => {
    const before = days[at - 1];
    if (before !== undefined && addDays(before, 1) === day) streaks.push((streaks.pop() ?? 0) + 1);
    else streaks.push(1);
  });
  return streaks;
}

function render(terminal: Terminal, stats: Stats): string {
  if (stats.total.messages === 0) return 'No usage.\n';
  const { total } = stats;
  const dates = datesOf(stats.days);
  const facts: readonly Fact[] = [
    ['Sessions', `${formatCompact(stats.sessions)} with model responses`],
    ['Messages', `${formatCompact(total.messages)} from models`],
    ['Cost', formatCost(total.cost_usd, total.unpriced_messages > 0 ? ['some'] : [])],
    ['Tokens', `${formatCompact(total.tokens_in)} in, ${formatCompact(total.tokens_out)} out`],
    ['Cache', `${formatCompact(total.cache_read_tokens)} read, ${formatCompact(total.cache_write_tokens)} written`],
    ['Days', `${stats.active_days} active${dates.length === 0 ? '' : `, from ${dates[0]} to ${dates.at(-1)}`}`],
    ['Streaks', `last ${plural(stats.last_streak_days, 'day')}, longest ${plural(stats.longest_streak_days, 'day')}`],
    ['Hours', `0 ${sparkline(stats.hours.map(({ messages }) => messages))} 24`],
  ];
  const cost = ({ cost_usd }: Share) => formatCost(cost_usd);
  const parts = [
    factLines(terminal, facts),
    bars(terminal, 'Models', stats.models, cost, ({ cost_nanos }) => cost_nanos),
    bars(terminal, 'Workspaces', stats.workspaces, cost, ({ cost_nanos }) => cost_nanos),
    bars(
      terminal,
      'Tools',
      stats.tools,
      ({ calls }) => formatCompact(calls),
      ({ calls }) => calls,
    ),
  ];
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

const MIN_NAME_COLUMNS = 32;
const MAX_BAR_COLUMNS = 40;
const FIGURE_COLUMNS = 9;

/** Bars of the largest values, scaled to the first one. */
function bars<T extends { readonly name: string }>(
  terminal: Terminal,
  title: string,
  all: readonly T[],
  figure: (row: T) => string,
  weight: (row: T) => number,
): string[] {
  if (all.length === 0) return [];
  const rows = all.slice(0, TOP);
  const most = Math.max(1, ...rows.map(weight));
  const longest = Math.floor(Math.min(terminal.columns / 2, Math.max(MIN_NAME_COLUMNS, terminal.columns / 3)));
  const names = rows.map(({ name }) => fitWidth(visibleLine(name) || '(none)', longest));
  const width = Math.max(...names.map(textWidth));
  const room = Math.min(MAX_BAR_COLUMNS, terminal.columns - width - FIGURE_COLUMNS - 6);
  const lines = rows.map((row, at) => {
    const drawn = bar(weight(row) / most, room);
    const text = `  ${padWidth(names[at] ?? '', width)}  ${figure(row).padStart(FIGURE_COLUMNS)}`;
    return drawn === '' ? text : `${text}  ${paint(terminal, 'cyan', drawn)}`;
  });
  const more = all.length > TOP ? [`  and ${all.length - TOP} more: --json`] : [];
  return [paint(terminal, 'bold', title), ...lines, ...more];
}
