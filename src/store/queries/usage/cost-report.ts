import type { BudgetStatus } from '../../../api/budgets.ts';
import type {
  ActiveBlock,
  ClientComparison,
  CostReport,
  CostRow,
  CostSums,
  PriceFacts,
  UnknownModel,
} from '../../../api/usage.ts';
import { type Block, blockAt, findBlocks, paceOf } from '../../../domain/blocks.ts';
import {
  allTokens,
  type CostGroup,
  type CostQuery,
  type CostSession,
  type Named,
  TIME_GROUPS,
  type UsageCell,
} from '../../../domain/cost.ts';
import { mondayOf } from '../../../domain/days.ts';
import { HOUR_MS, MINUTE_MS } from '../../../domain/durations.ts';
import { addSafely, dollars, SLOT_MS } from '../../../domain/usage.ts';
import { type Calendar, createCalendar, isoWeek } from '../../../lib/calendar.ts';

export interface CostFigures {
  readonly source: CostReport['source'];
  /** More than the range, if they are grouped by block: a block depends on all usage before it. */
  readonly cells: readonly UsageCell[];
  readonly sessions: ReadonlyMap<string, CostSession>;
  readonly prices: PriceFacts;
  readonly client: ClientComparison | null;
  readonly unreadable: number;
  readonly budgets: readonly BudgetStatus[];
  readonly now: Date;
  readonly deleted_sessions: number;
}

/** The range of a query in quarters of an hour: `from` is in it, `to` is not. */
export function slotRange({ timezone, since, until }: CostQuery): { readonly from: number; readonly to: number } {
  if (since === null && until === null) return { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
  const { firstSlotOf, firstSlotAfter } = createCalendar(timezone);
  return {
    from: since === null ? Number.NEGATIVE_INFINITY : firstSlotOf(since),
    to: until === null ? Number.POSITIVE_INFINITY : firstSlotAfter(until),
  };
}

/** Cells of the range, grouped and added up. Cells without a time are in no range but the open one. */
export function makeCostReport(query: CostQuery, figures: CostFigures): CostReport {
  const { source, prices, client, unreadable, deleted_sessions, budgets, now } = figures;
  const { breakdown: _, ...question } = query;
  const { from, to } = slotRange(query);
  const isOpen = query.since === null && query.until === null;
  const cells = figures.cells.filter(({ slot }) => (slot === null ? isOpen : slot >= from && slot < to));
  const blocks = query.by === 'block' ? findBlocks(figures.cells) : [];
  return {
    ...question,
    source,
    rows: makeRows(query, cells, { sessions: figures.sessions, blocks }),
    total: { sessions: countSessions(cells), ...sumUp(cells) },
    unknown_models: findUnknownModels(cells),
    prices,
    client,
    active_block: describeBlock(blockAt(blocks, now), now),
    budgets,
    unreadable,
    deleted_sessions,
  };
}

function describeBlock(block: Block<UsageCell> | null, now: Date): ActiveBlock | null {
  if (block === null) return null;
  const sums = sumUp(block.cells);
  const tokens = allTokens(sums);
  const pace = paceOf(tokens, block, now);
  const cost = sums.cost_nanos === null ? null : paceOf(sums.cost_nanos, block, now);
  return {
    starts_at: timeOf(block.start),
    ends_at: timeOf(block.end),
    minutes_left: Math.ceil((block.end * SLOT_MS - now.getTime()) / MINUTE_MS),
    total: { sessions: countSessions(block.cells), ...sums },
    tokens,
    tokens_per_minute: pace.perMinute,
    cost_usd_per_hour: cost && dollars((cost.perMinute * HOUR_MS) / MINUTE_MS),
    projected_tokens: pace.projected,
    projected_cost_nanos: cost && cost.projected,
    projected_cost_usd: cost && dollars(cost.projected),
  };
}

const timeOf = (slot: number) => new Date(slot * SLOT_MS).toISOString();

interface Facts {
  readonly calendar: Calendar;
  readonly session: CostSession | undefined;
  readonly block: Block<UsageCell> | undefined;
  /** The name that belongs to a day or block, made once: there are many more cells. */
  readonly once: (key: string | Block<UsageCell>, name: () => Named) => Named;
}

type NameOf = (cell: UsageCell, facts: Facts) => Named;

const NO_TIME: Named = { key: '', label: '(no time)' };
const NONE = '(none)';
const named = (key: string): Named => ({ key, label: key === '' ? NONE : key });
function ofDay({ slot }: UsageCell, { calendar, once }: Facts, name: (day: string) => Named): Named {
  if (slot === null) return NO_TIME;
  const day = calendar.dayOf(slot);
  return once(day, () => name(day));
}

const CLOCK_AT = 'yyyy-mm-dd '.length;

const NAMES: Readonly<Record<CostGroup, NameOf>> = {
  day: (cell, facts) => ofDay(cell, facts, named),
  week: (cell, facts) => ofDay(cell, facts, (day) => ({ key: mondayOf(day), label: isoWeek(day) })),
  month: (cell, facts) => ofDay(cell, facts, (day) => named(day.slice(0, 'yyyy-mm'.length))),
  block: (_cell, { block, calendar: { clockOf }, once }) =>
    block === undefined
      ? NO_TIME
      : once(block, () => ({
          key: timeOf(block.start),
          label: `${clockOf(block.start)}–${clockOf(block.end).slice(CLOCK_AT)}`,
        })),
  model: ({ model }) => named(model),
  branch: ({ branch }) => named(branch),
  session: ({ sessionId }, { session }) => ({ key: sessionId, label: session?.title ?? sessionId }),
  workspace: (_cell, { session }) => session?.workspace ?? named(''),
  device: (_cell, { session }) => session?.device ?? named(''),
  // All pull requests of a session form one group; separately, its usage would count several times.
  pr: (_cell, { session }) => nameTogether(session?.pullRequests ?? []),
};

/** Names the repository once: `ada/shop#7, #12`. */
function nameTogether(pullRequests: readonly string[]): Named {
  if (pullRequests.length === 0) return named('');
  const parts = pullRequests.map((name, at) => {
    const repository = name.slice(0, name.lastIndexOf('#') + 1);
    const isRepeated = repository !== '' && pullRequests[at - 1]?.startsWith(repository) === true;
    return isRepeated ? name.slice(repository.length - 1) : name;
  });
  return { key: pullRequests.join(', '), label: parts.join(', ') };
}

function makeRows(
  { by, timezone, breakdown = false }: CostQuery,
  cells: readonly UsageCell[],
  { sessions, blocks }: Pick<CostFigures, 'sessions'> & { readonly blocks: readonly Block<UsageCell>[] },
): readonly CostRow[] {
  const calendar = createCalendar(timezone);
  const blockOf = new Map(blocks.flatMap((block) => block.cells.map((cell) => [cell, block] as const)));
  const labels = new Map<string, string>();
  const names = new Map<string | Block<UsageCell>, Named>();
  const once: Facts['once'] = (of, name) => {
    const known = names.get(of) ?? name();
    names.set(of, known);
    return known;
  };
  const groups = Map.groupBy(cells, (cell) => {
    const { key, label } = NAMES[by](cell, {
      once,
      calendar,
      session: sessions.get(cell.sessionId),
      block: blockOf.get(cell),
    });
    labels.set(key, label);
    return key;
  });
  const rows = [...groups].map(([key, own]) => ({
    key,
    label: labels.get(key) ?? key,
    sessions: countSessions(own),
    models: [...new Set(own.map(({ model }) => model))].toSorted(),
    ...sumUp(own),
    ...(breakdown ? { by_model: sumByModel(own) } : {}),
  }));
  return rows.toSorted(TIME_GROUPS.has(by) ? byKey : mostExpensiveFirst);
}

function sumByModel(cells: readonly UsageCell[]): NonNullable<CostRow['by_model']> {
  return [...Map.groupBy(cells, ({ model }) => model)]
    .map(([model, own]) => ({ model: named(model).label, ...sumUp(own) }))
    .toSorted((a, b) => (b.cost_nanos ?? 0) - (a.cost_nanos ?? 0) || (a.model < b.model ? -1 : 1));
}

function byKey(a: CostRow, b: CostRow): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}

function mostExpensiveFirst(a: CostRow, b: CostRow): number {
  return (b.cost_nanos ?? 0) - (a.cost_nanos ?? 0) || byKey(a, b);
}

export function countSessions(cells: readonly UsageCell[]): number {
  return new Set(cells.map(({ sessionId }) => sessionId)).size;
}

export function sumUp(cells: readonly UsageCell[]): CostSums {
  const sum = (pick: (cell: UsageCell) => number) => cells.reduce((total, cell) => addSafely(total, pick(cell)), 0);
  const messages = sum((cell) => cell.messages);
  const unpriced = sum((cell) => cell.unpricedMessages);
  const nanos = sum((cell) => cell.costNanos);
  const subagentNanos = sum((cell) => (cell.isSubagent ? cell.costNanos : 0));
  const isPriced = messages === 0 || unpriced < messages;
  return {
    messages,
    tokens_in: sum((cell) => cell.tokensIn),
    tokens_out: sum((cell) => cell.tokensOut),
    cache_read_tokens: sum((cell) => cell.cacheRead),
    cache_write_tokens: sum((cell) => cell.cacheWrite),
    cache_write_1h_tokens: sum((cell) => cell.cacheWrite1h),
    cost_nanos: isPriced ? nanos : null,
    cost_usd: isPriced ? dollars(nanos) : null,
    subagent_cost_nanos: subagentNanos,
    subagent_cost_usd: dollars(subagentNanos),
    unpriced_messages: unpriced,
  };
}

/** Tokens are those of the model's messages in all cells that lack a price, which is nearly always all of them. */
export function findUnknownModels(cells: readonly UsageCell[]): readonly UnknownModel[] {
  const unpriced = cells.filter(({ unpricedMessages }) => unpricedMessages > 0);
  return [...Map.groupBy(unpriced, ({ model }) => model)]
    .map(([model, own]) => {
      const { unpriced_messages, ...sums } = sumUp(own);
      return { model: named(model).label, messages: unpriced_messages, tokens: allTokens(sums) };
    })
    .toSorted((a, b) => b.tokens - a.tokens || (a.model < b.model ? -1 : 1));
}
