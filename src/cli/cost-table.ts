import type { BudgetStatus } from '../api/budgets.ts';
import type {
  ActiveBlock,
  ClientComparison,
  CostReport,
  CostRow,
  CostSums,
  PriceFacts,
  UnknownModel,
} from '../api/usage.ts';
import type { CostExplanation } from '../app/cost/cost.ts';
import { BLOCK_MS } from '../domain/blocks.ts';
import { allTokens, type CostGroup, cachedShare, TIME_GROUPS } from '../domain/cost.ts';
import { shortDeviceId } from '../domain/device.ts';
import { distinctLabels } from '../domain/distinct-labels.ts';
import { dollars } from '../domain/usage.ts';
import { workspacePlace } from '../domain/workspace.ts';
import { visibleLine, wrapWidth } from '../lib/terminal-text.ts';
import {
  formatBlockTime,
  formatBlockUse,
  formatBurnRate,
  formatProjection,
  formatTimeLeft,
} from '../reading/block-text.ts';
import { formatBudgetLeft, formatBudgetUse, nameOfBudget } from '../reading/budget-text.ts';
import {
  compactPlural,
  formatCompact,
  formatCost,
  formatDifference,
  formatDuration,
  formatNanos,
  NOTHING,
  plural,
} from '../reading/format.ts';
import { shortId } from '../reading/names.ts';
import { paintBudget } from './budget.ts';
import { bar } from './chart.ts';
import { type Column, renderTable } from './table.ts';
import { paint, type Style, type Terminal } from './terminal.ts';

type Line = CostSums & {
  readonly label: string;
  readonly models: readonly string[];
  readonly sessions: number;
  /** Time without a block before this one. */
  readonly idleMs?: number | undefined;
  /** The share of one model in the row above. */
  readonly isPart?: boolean;
};

const TITLES: Readonly<Record<CostGroup, string>> = {
  day: 'DAY',
  week: 'WEEK',
  month: 'MONTH',
  block: 'BLOCK',
  model: 'MODEL',
  workspace: 'WORKSPACE',
  session: 'SESSION',
  device: 'DEVICE',
  branch: 'BRANCH',
  pr: 'PULL REQUESTS',
};

/** The report for people: a table, its total, and the notes needed to interpret it. */
export function renderCost(terminal: Terminal, report: CostReport): string {
  if (report.rows.length === 0) return `${nothing(report)}\n`;
  const labels = distinctLabels(report.rows, (key) =>
    report.by === 'device' ? shortDeviceId(key) : workspacePlace(key),
  );
  const rows = report.rows.map((row, at) => ({
    ...row,
    label: labelOf(report, row, labels),
    idleMs: report.by === 'block' ? idleBefore(row, report.rows[at - 1]) : undefined,
  }));
  const total = totalOf(report);
  const lines: Line[] = [...rows.flatMap((row) => [row, ...partsOf(row)]), total];
  const chart = terminal.isInteractive && TIME_GROUPS.has(report.by) ? [chartColumn(report, total)] : [];
  const table = renderTable(terminal, [...columns(report), ...chart], lines)
    .trimEnd()
    .split('\n');
  const sum = paint(terminal, 'bold', table.pop() ?? '');
  const wrap = (note: string) => wrapWidth(visibleLine(note), terminal.columns);
  const budgets = report.budgets.map((budget) => paintBudget(terminal, budget, wrap(budgetNote(budget))));
  return `${[...table, sum, '', ...budgets, ...notesOn(report).map(wrap)].join('\n')}\n`;
}

/** A row with one model is its own breakdown. */
function partsOf({ by_model = [], label }: CostRow): readonly Line[] {
  if (by_model.length === 1 && by_model[0]?.model === label) return [];
  return by_model.map(({ model, ...sums }, at) => ({
    ...sums,
    label: `${at < by_model.length - 1 ? '├' : '└'} ${model}`,
    models: [],
    sessions: 0,
    isPart: true,
  }));
}

function nothing({ since, until }: CostReport): string {
  if (since === null) return until === null ? 'No usage yet.' : `No usage until ${until}.`;
  return until === null ? `No usage since ${since}.` : `No usage from ${since} to ${until}.`;
}

/** Undefined for the first block. */
function idleBefore({ key }: CostRow, before: CostRow | undefined): number | undefined {
  if (before === undefined || before.key === '') return undefined;
  return Date.parse(key) - Date.parse(before.key) - BLOCK_MS;
}

function labelOf(
  { by, active_block }: CostReport,
  { key, label }: CostRow,
  labels: ReadonlyMap<string, string>,
): string {
  if (by === 'session') return key === label ? key : `${shortId(key)}  ${label}`;
  if (by === 'week' && key !== '') return `${label} (${key})`;
  if (by === 'block' && key === active_block?.starts_at) return `${label} *`;
  return labels.get(key) ?? label;
}

function totalOf({ total }: CostReport): Line {
  return { ...total, label: 'Total', models: [] };
}

/** Groups named by a sentence or a path need the width more than the smaller figures do. */
const LONG_NAMES: ReadonlySet<CostGroup> = new Set(['workspace', 'session', 'branch', 'pr']);
const WIDE = 100;

function columns({ by, unknown_models }: CostReport): readonly Column<Line>[] {
  const detail = LONG_NAMES.has(by) ? WIDE : 76;
  const figure = (title: string, fromColumns: number, text: (line: Line) => string): Column<Line> => ({
    title,
    align: 'right',
    fromColumns,
    text,
  });
  return [
    { title: TITLES[by], grows: true, text: ({ label }) => label, style: partStyle },
    ...(by === 'model' ? [] : [{ title: 'MODELS', fromColumns: 140, text: ({ models }: Line) => modelNames(models) }]),
    ...(by === 'block' ? [figure('IDLE', WIDE, ({ idleMs }) => idleText(idleMs))] : []),
    ...(by === 'session'
      ? []
      : [figure('SESSIONS', WIDE, ({ isPart, sessions }) => (isPart ? '' : formatCompact(sessions)))]),
    figure('MSGS', 60, ({ messages }) => formatCompact(messages)),
    figure('INPUT', detail, ({ tokens_in }) => formatCompact(tokens_in)),
    figure('CACHE W', detail, (line) => formatCompact(line.cache_write_tokens)),
    figure('CACHE R', 76, (line) => formatCompact(line.cache_read_tokens)),
    figure('CACHED', detail, (line) => shareText(cachedShare(line))),
    figure('OUTPUT', 50, ({ tokens_out }) => formatCompact(tokens_out)),
    figure('TOKENS', 120, (line) => formatCompact(allTokens(line))),
    figure('SUB-AGENTS', 110, subagentText),
    { ...figure('COST', 0, (line) => costText(line, unknown_models)), style: costStyle },
  ];
}

function idleText(idleMs: number | undefined): string {
  if (idleMs === undefined) return '';
  return idleMs === 0 ? NOTHING : formatDuration(idleMs);
}

/** The cost is incomplete without the price of a model. */
function costStyle({ unpriced_messages }: Line): Style | null {
  return unpriced_messages > 0 ? 'yellow' : null;
}

function partStyle({ isPart }: Line): Style | null {
  return isPart === true ? 'dim' : null;
}

const CHART_COLUMNS = 16;

/** A bar for each row, scaled to the most expensive one; the total has none. */
function chartColumn({ rows }: CostReport, total: Line): Column<Line> {
  const most = Math.max(1, ...rows.map(({ cost_nanos }) => cost_nanos ?? 0));
  return {
    title: '',
    fromColumns: WIDE,
    text: (line) => (line === total ? '' : bar((line.cost_nanos ?? 0) / most, CHART_COLUMNS)),
    style: () => 'cyan',
  };
}

function subagentText({ subagent_cost_nanos, subagent_cost_usd }: Line): string {
  return subagent_cost_nanos > 0 ? formatCost(subagent_cost_usd) : NOTHING;
}

const MAX_MODELS_SHOWN = 2;

/** The short name is enough here; `--by model` shows full names. */
function modelNames(models: readonly string[]): string {
  const names = [...new Set(models.map((model) => model.replace(/^claude-/, '').replace(/-20\d{6}$/, '')))];
  const more = names.length > MAX_MODELS_SHOWN ? ` +${names.length - MAX_MODELS_SHOWN}` : '';
  return names.slice(0, MAX_MODELS_SHOWN).join(', ') + more;
}

function shareText(share: number | null): string {
  return share === null ? '–' : `${(share * 100).toFixed(share === 1 ? 0 : 1)}%`;
}

function costText({ cost_usd, unpriced_messages }: CostSums, unknown: readonly UnknownModel[]): string {
  return formatCost(cost_usd, unpriced_messages > 0 ? unknown.map(({ model }) => model) : []);
}

function notesOn(report: CostReport): readonly string[] {
  const { unknown_models, prices, client, active_block, timezone } = report;
  return [
    ...(active_block === null ? [] : [blockNote(active_block, timezone)]),
    ...(unknown_models.length > 0 ? [unknownNote(unknown_models)] : []),
    priceNote(prices),
    ...(client === null ? [] : [clientNote(client)]),
    ...dayNote(report),
  ];
}

function blockNote(block: ActiveBlock, zone: string): string {
  const left = `${formatBlockUse(block)} so far, ${formatTimeLeft(block)} left`;
  const rate = `At ${formatBurnRate(block)} it will end with ${formatProjection(block)}.`;
  return `* Current block (${formatBlockTime(block, zone)}): ${left}. ${rate}`;
}

function budgetNote(budget: BudgetStatus): string {
  return `Budget ${nameOfBudget(budget)}: ${formatBudgetUse(budget)}, ${formatBudgetLeft(budget)}.`;
}

function dayNote({ by, timezone, since, until }: CostReport): readonly string[] {
  if (by === 'block')
    return [
      `Times are in ${timezone}. A block lasts 5 hours from the full hour of its first usage, as Claude's limits count.`,
    ];
  if (by === 'week') return [`Days are in ${timezone}; weeks start on Monday.`];
  const isAboutDays = by === 'day' || by === 'month' || since !== null || until !== null;
  return isAboutDays ? [`Days are in ${timezone}.`] : [];
}

function unknownNote(models: readonly UnknownModel[]): string {
  const names = models.map(
    ({ model, messages, tokens }) =>
      `${model} (${compactPlural(messages, 'message')}, ${compactPlural(tokens, 'token')})`,
  );
  return `No price for ${names.join(', ')}: tokens are counted, but the cost is not included. See docs/prices.md to add a price.`;
}

function priceNote({ book_date, sources, user_file }: PriceFacts): string {
  const own = user_file === null ? '' : `${user_file}, then `;
  return `Prices: ${own}built-in price list of ${book_date} (${sources.join('; ')}).`;
}

/**
 * The client also counts requests that leave no line in the transcript, such as compactions; we count messages repeated
 * by forks and resumes only once.
 */
function clientNote({ sessions, client_cost_usd, our_cost_usd }: ClientComparison): string {
  const whose = sessions === 1 ? '1 session that reports it' : `${sessions} sessions that report it`;
  return `Cost reported by Claude Code: ${formatCost(client_cost_usd)} for ${whose}; calculated by fuel-code: ${formatCost(our_cost_usd)} (${formatDifference(our_cost_usd - client_cost_usd)}).`;
}

/** The price used for each model, how messages were counted, and the difference from the client's own figures. */
export function renderExplanation(terminal: Terminal, explanation: CostExplanation): string {
  const wrap = (line: string) => wrapWidth(visibleLine(line), terminal.columns);
  const notes = [...explanation.rules, ...lineCostNote(explanation)].map((line) => wrap(line));
  const table = renderTable(terminal, RATE_COLUMNS, explanation.rates);
  return `\n${wrap(RATE_TITLE)}\n${table}\n${notes.join('\n')}\n`;
}

const RATE_TITLE =
  'List prices in dollars per million tokens (READ: cache read; W 5M and W 1H: cache write for 5 minutes or 1 hour):';

type Rate = CostExplanation['rates'][number];

const RATE_COLUMNS: readonly Column<Rate>[] = [
  { title: 'MODEL', grows: true, text: rateName },
  { title: 'PRICED AS', fromColumns: 110, text: ({ rate_id }) => rate_id ?? '–' },
  ...['INPUT', 'OUTPUT', 'READ', 'W 5M', 'W 1H'].map(
    (title, at): Column<Rate> => ({
      title,
      align: 'right',
      fromColumns: 60,
      text: ({ per_million_usd }) => String(per_million_usd?.[at] ?? '–'),
    }),
  ),
  { title: 'MSGS', align: 'right', text: ({ messages }) => formatCompact(messages) },
  { title: 'COST', align: 'right', text: rateCost },
];

/** The model with the marks of its rate, such as `+long`: one model can have several rates. */
function rateName({ model, rate_id }: Rate): string {
  return model === '' ? '(no model)' : model + (rate_id?.match(/\+.*$/)?.[0] ?? '');
}

function rateCost({ cost_nanos, per_million_usd }: Rate): string {
  return per_million_usd === null ? 'no price' : formatNanos(cost_nanos);
}

function lineCostNote({ line_costs }: CostExplanation): readonly string[] {
  if (line_costs === null) return [];
  const { sessions, client_cost_nanos, our_cost_nanos } = line_costs;
  return [
    `Cost reported by old clients (costUSD): ${formatNanos(client_cost_nanos)} in ${plural(sessions, 'session')}; calculated by fuel-code: ${formatNanos(our_cost_nanos)} (${formatDifference(dollars(our_cost_nanos - client_cost_nanos))}).`,
  ];
}
