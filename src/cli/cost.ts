import type { CostReport } from '../api/usage.ts';
import { answerCost, type CostExplanation, explainCost, readStoredCost } from '../app/cost/cost.ts';
import { DAY_FORMS, readCostQuery } from '../app/read-query.ts';
import { COST_GROUPS, type CostQuery } from '../domain/cost.ts';
import { FuelError } from '../domain/errors.ts';
import { plural } from '../reading/format.ts';
import { catchUp, importOrWait, isObjectStoreAway } from './catch-up.ts';
import {
  type Command,
  type CommandContext,
  NO_IMPORT_OPTION,
  type ParsedArguments,
  REMOTE_OPTIONS,
} from './command.ts';
import { renderCost, renderExplanation } from './cost-table.ts';
import { printNote, printReport, ROW_OPTIONS, readFormat } from './output.ts';
import { readChoice } from './parse-arguments.ts';
import { TIME_OPTIONS } from './session-filter.ts';
import { isRemote, openSource, refuseLostDatabase, whyNoSessions } from './source.ts';

export const command: Command = {
  name: 'cost',
  about: 'Show token usage and cost.',
  options: {
    by: {
      type: 'string',
      value: 'WHAT',
      values: COST_GROUPS,
      about: `Group by ${COST_GROUPS.join(', ')} (default day).`,
    },
    since: {
      type: 'string',
      value: 'DAY',
      about: `First day: ${DAY_FORMS}.`,
    },
    until: { type: 'string', value: 'DAY', about: 'Last day (inclusive), in the same format.' },
    timezone: TIME_OPTIONS.timezone,
    breakdown: { type: 'boolean', about: 'Show the figures of each model below each row.' },
    explain: {
      type: 'boolean',
      about: 'Show the list prices and counting rules behind the figures (this machine only).',
    },
    'no-import': NO_IMPORT_OPTION,
    ...ROW_OPTIONS,
    ...REMOTE_OPTIONS,
  },
  examples: [
    ['fuel-code cost', 'Cost per day.'],
    ['fuel-code cost --by week --breakdown', 'Cost per week and model.'],
    ['fuel-code cost --by model --since 7d', 'Cost per model over the last 7 days.'],
    ['fuel-code cost --by pr --since 1mo --csv > prs.csv', 'Cost per pull request, as CSV.'],
    ['fuel-code cost --explain', 'Show the prices and rules behind the figures.'],
    ['fuel-code cost --json | jq .total.cost_usd', 'Total cost for use in scripts.'],
  ],
  run: async (context, args) => {
    const query = readQuery(context, args);
    const format = readFormat(args);
    const isExplained = args.flags.has('explain');
    if (isExplained && isRemote(args)) throw new FuelError('usage', '--explain works on this machine only.');
    const report = isRemote(args) ? await fetchFromServer(context, args, query) : await findCost(context, args, query);
    if (report.rows.length === 0 && !isRemote(args)) await checkNothing(context);
    const explanation = isExplained ? await explain(context, args, query) : null;
    const { terminal } = context;
    await printReport(context, args, {
      answer: explanation === null ? report : { ...report, explanation },
      name: 'rows',
      rows: report.rows,
      csv: () => csvRows(report),
      text: () => terminal.out(renderCost(terminal, report)),
    });
    if (explanation !== null && format === 'text') terminal.out(renderExplanation(terminal, explanation));
    for (const sentence of notesOn(report)) printNote(terminal, sentence);
  },
};

/** Without any session, notes why. Errors: store_corrupt when there is no usage only because the database was lost. */
async function checkNothing({ terminal, openApp }: CommandContext): Promise<void> {
  await using app = await openApp();
  await refuseLostDatabase(terminal, app);
  if ((await app.get('/status')).sessions > 0) return;
  for (const line of await whyNoSessions({ get: app.get, isImporting: false }, false)) printNote(terminal, line);
}

/** Prices of individual messages exist only in the store. */
async function explain(
  context: CommandContext,
  { flags }: ParsedArguments,
  query: CostQuery,
): Promise<CostExplanation> {
  if (!flags.has('no-import')) await importNew(context, { waits: true });
  return explainCost(query, context.loaded.config);
}

function readQuery({ clock }: CommandContext, args: ParsedArguments): CostQuery {
  const { values, flags } = args;
  const by = readChoice(args, 'by', COST_GROUPS);
  const [since, until, timezone] = ['since', 'until', 'timezone'].map((name) => values.get(name));
  return readCostQuery(
    { by, since, until, timezone, breakdown: flags.has('breakdown') },
    clock.now(),
    (name) => `--${name}`,
  );
}

async function fetchFromServer(context: CommandContext, args: ParsedArguments, query: CostQuery): Promise<CostReport> {
  await using source = await openSource(context, args);
  const { by, timezone: zone, since, until, breakdown } = query;
  const days = { since: since ?? undefined, until: until ?? undefined };
  return await source.get('/cost', { query: { by, zone, ...days, breakdown } });
}

function findCost(context: CommandContext, { flags }: ParsedArguments, query: CostQuery): Promise<CostReport> {
  const basis = { config: context.loaded.config, clock: context.clock };
  if (flags.has('no-import')) return readStoredCost(query, basis);
  return answerCost(query, { ...basis, importNew: (options) => importNew(context, options) });
}

async function importNew(context: CommandContext, { waits }: { readonly waits: boolean }): Promise<boolean> {
  await using app = await context.openApp();
  const run = () => catchUp(context, app, { rowsOnly: true });
  if (waits) return (await importOrWait(context, run)) !== null;
  try {
    return (await run()) !== null;
  } catch (error) {
    if (!isObjectStoreAway(error, app)) throw error;
    printNote(context.terminal, `${error.message} Nothing new is imported.`);
    return false;
  }
}

function notesOn({ source, rows, unreadable, deleted_sessions }: CostReport): readonly string[] {
  const notes: string[] = [];
  if (source === 'transcripts' && rows.length > 0)
    notes.push('Calculated directly from the transcripts; run `fuel-code backfill` to make this instant.');
  if (unreadable > 0) {
    const what = plural(unreadable, source === 'store' ? 'session' : 'file');
    const [is, it] = unreadable === 1 ? ['is', 'it'] : ['are', 'them'];
    notes.push(`${what} could not be read and ${is} not included; \`fuel-code backfill\` lists ${it}.`);
  }
  if (deleted_sessions > 0) notes.push(`The usage of ${plural(deleted_sessions, 'deleted session')} is not included.`);
  return notes;
}

const CSV_COLUMNS = [
  'key',
  'label',
  'sessions',
  'messages',
  'tokens_in',
  'tokens_out',
  'cache_read_tokens',
  'cache_write_tokens',
  'cache_write_1h_tokens',
  'cost_usd',
  'cost_nanos',
  'subagent_cost_usd',
  'subagent_cost_nanos',
  'unpriced_messages',
] as const;

/** Without totals, which a spreadsheet would add to its own sum; broken down, one line per model for the same reason. */
function csvRows({ rows }: CostReport): readonly (readonly (string | number | null)[])[] {
  const lines = rows.flatMap(({ by_model, ...row }) =>
    by_model === undefined
      ? [[...CSV_COLUMNS.map((column) => row[column]), row.models.join(' ')]]
      : by_model.map(({ model, ...sums }) => {
          const own = { ...row, ...sums };
          return [...CSV_COLUMNS.map((column) => own[column]), model];
        }),
  );
  return [[...CSV_COLUMNS, 'models'], ...lines];
}
