import type { BudgetStatus } from '../api/budgets.ts';
import {
  BUDGET_PERIODS,
  type BudgetPeriod,
  type BudgetState,
  MAX_BUDGET_USD,
  MIN_BUDGET_USD,
} from '../domain/budget.ts';
import { FuelError } from '../domain/errors.ts';
import { formatBudgetLeft, formatBudgetUse, nameOfBudget } from '../reading/budget-text.ts';
import {
  type Command,
  type CommandContext,
  JSON_OPTION,
  NO_IMPORT_OPTION,
  type ParsedArguments,
  REMOTE_OPTIONS,
} from './command.ts';
import { printJson, printLine, printNote } from './output.ts';
import { readTimezone, TIME_OPTIONS } from './session-filter.ts';
import { isRemote, openSource, type Source } from './source.ts';
import { type Column, renderTable } from './table.ts';
import { paint, type Style, type Terminal } from './terminal.ts';

export const command: Command = {
  name: 'budget',
  about: 'Show, set or check budgets per day, week or month.',
  actions: { list: '', set: 'PERIOD DOLLARS', remove: 'PERIOD', test: '' },
  options: {
    workspace: {
      type: 'string',
      value: 'NAME',
      actions: ['set', 'remove'],
      about: 'With set and remove: the budget of this workspace instead of all usage.',
    },
    check: { type: 'boolean', actions: ['', 'list'], about: 'Exit with code 8 if a budget is exceeded.' },
    timezone: TIME_OPTIONS.timezone,
    'no-import': NO_IMPORT_OPTION,
    json: JSON_OPTION,
    ...REMOTE_OPTIONS,
  },
  examples: [
    ['fuel-code budget', 'Show all budgets and what is left.'],
    ['fuel-code budget set day 20', 'At most $20 per day.'],
    ['fuel-code budget set month 150 --workspace shop', 'At most $150 per month in one workspace.'],
    ['fuel-code budget remove day', 'Remove it.'],
    [
      'fuel-code budget --check; [ $? -eq 8 ] && echo "Over budget"',
      'For scripts: exit code 8 if a budget is exceeded.',
    ],
    ['fuel-code budget test', 'Send a sample alert to budgetWebhook and budgetCommand.'],
  ],
  run: async (context, args) => {
    const [action = 'list'] = args.positionals;
    await ACTIONS[action as keyof typeof ACTIONS](context, args);
  },
};

type Action = (context: CommandContext, args: ParsedArguments) => Promise<void>;

const ACTIONS = {
  list: async (context, args) => {
    const zone = readTimezone(args);
    await using source = await openSource(context, args, 'rows');
    const found = await source.get('/budgets', { query: { zone } });
    show(context, args, found, source);
    if (args.flags.has('check')) refuseExceeded(found.budgets);
  },
  set: async (context, args) => {
    const period = readPeriod(args);
    const amount_usd = readAmount(args.positionals[2] ?? '');
    const workspace_id = args.values.get('workspace');
    const zone = readTimezone(args);
    await using source = await openSource(context, args, 'rows');
    const body = { period, amount_usd, ...(workspace_id === undefined ? {} : { workspace_id }) };
    show(context, args, await source.send('POST /budgets', { query: { zone }, body }), source);
  },
  remove: async (context, args) => {
    const period = readPeriod(args);
    await using source = await openSource(context, args);
    const budget = await findBudget(source, period, args);
    await source.send('DELETE /budgets/:budget_id', { params: { budget_id: budget.id } });
    if (args.flags.has('json')) return printJson(context.terminal, { removed: budget.id });
    printLine(context.terminal, `Removed the budget per ${period}${whose(args)}.`);
  },
  test: async (context, args) => {
    if (isRemote(args)) throw new FuelError('usage', '`fuel-code budget test` works on this machine only.');
    const { sendSampleAlert } = await import('../app/budget-alerts.ts');
    const receivers = await sendSampleAlert(context.loaded.config, context.clock.now());
    if (args.flags.has('json')) return printJson(context.terminal, { receivers });
    printLine(context.terminal, `Sent a sample alert to ${receivers.join(' and ')}.`);
  },
} satisfies Readonly<Record<string, Action>>;

function readPeriod({ positionals: [, given] }: ParsedArguments): BudgetPeriod {
  const period = BUDGET_PERIODS.find((one) => one === given);
  if (period !== undefined) return period;
  throw new FuelError('usage', `Unknown period ${JSON.stringify(given)}.`, {
    hint: `Valid periods: ${BUDGET_PERIODS.join(', ')}.`,
  });
}

function readAmount(given: string): number {
  const text = given.replace(/^\$/, '');
  const amount = /^\d{1,9}(?:\.\d{1,2})?$/.test(text) ? Number(text) : 0;
  if (amount >= MIN_BUDGET_USD && amount <= MAX_BUDGET_USD) return amount;
  throw new FuelError(
    'usage',
    `Invalid amount ${JSON.stringify(given)}. It must be dollars from ${MIN_BUDGET_USD} to ${MAX_BUDGET_USD}, such as 20 or 12.50.`,
  );
}

function whose({ values }: ParsedArguments): string {
  const workspace = values.get('workspace');
  return workspace === undefined ? '' : ` in ${workspace}`;
}

async function findBudget(source: Source, period: BudgetPeriod, args: ParsedArguments): Promise<BudgetStatus> {
  const workspace = args.values.get('workspace');
  const key =
    workspace === undefined
      ? null
      : (await source.get('/workspaces/:workspace_id', { params: { workspace_id: workspace } })).canonical_id;
  const { budgets } = await source.get('/budgets', { query: { zone: readTimezone(args) } });
  const found = budgets.find((budget) => budget.period === period && budget.workspace_key === key);
  if (found !== undefined) return found;
  throw new FuelError('not_found', `No budget per ${period}${whose(args)}.`, {
    hint: '`fuel-code budget` lists them.',
  });
}

interface Shown {
  readonly timezone: string;
  readonly budgets: readonly BudgetStatus[];
}

function show({ terminal }: CommandContext, { flags }: ParsedArguments, found: Shown, source: Source): void {
  if (flags.has('json')) return printJson(terminal, found, source);
  if (found.budgets.length === 0) return printLine(terminal, 'No budgets. To set one: fuel-code budget set day 20');
  terminal.out(renderBudgets(terminal, found.budgets));
  if (found.budgets.some(({ unpriced_messages }) => unpriced_messages > 0))
    printNote(terminal, 'Some usage has no price and is not included (+?); `fuel-code cost` lists the models.');
}

const STYLES: Readonly<Record<BudgetState, Style | null>> = { within: null, near: 'yellow', exceeded: 'red' };

/** The style of a text about a budget. */
export function paintBudget(terminal: Terminal, { state }: BudgetStatus, text: string): string {
  const style = STYLES[state];
  return style === null ? text : paint(terminal, style, text);
}

const COLUMNS: readonly Column<BudgetStatus>[] = [
  { title: 'BUDGET', grows: true, text: (budget) => nameOfBudget(budget) },
  { title: 'SPENT', align: 'right', text: (budget) => formatBudgetUse(budget) },
  { title: 'LEFT', align: 'right', fromColumns: 50, text: (budget) => formatBudgetLeft(budget) },
  { title: 'DAYS', fromColumns: 80, text: ({ first_day, last_day }) => daysText(first_day, last_day) },
];

function daysText(first: string, last: string): string {
  return first === last ? first : `${first} to ${last}`;
}

function renderBudgets(terminal: Terminal, budgets: readonly BudgetStatus[]): string {
  const [head = '', ...lines] = renderTable(terminal, COLUMNS, budgets).trimEnd().split('\n');
  const painted = lines.map((line, at) => {
    const budget = budgets[at];
    return budget === undefined ? line : paintBudget(terminal, budget, line);
  });
  return `${[head, ...painted].join('\n')}\n`;
}

/** Errors: budget_exceeded. */
function refuseExceeded(budgets: readonly BudgetStatus[]): void {
  const exceeded = budgets.filter(({ state }) => state === 'exceeded');
  if (exceeded.length === 0) return;
  const names = exceeded.map((budget) => `${nameOfBudget(budget)}: ${formatBudgetUse(budget)}`);
  throw new FuelError('budget_exceeded', `Over budget ${names.join('; ')}.`);
}
