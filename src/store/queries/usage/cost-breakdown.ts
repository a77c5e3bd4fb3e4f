import type { CostBreakdown, CostPeriods, CostSessions } from '../../../api/cost.ts';
import type { CostQuery, CostSession, UsageCell } from '../../../domain/cost.ts';
import { addDays } from '../../../domain/days.ts';
import { SLOT_MS } from '../../../domain/usage.ts';
import { createCalendar } from '../../../lib/calendar.ts';
import type { Tx } from '../../engine.ts';
import { loadCells, loadCostSessions, withinRange } from './cost.ts';
import { countSessions, findUnknownModels, slotRange, sumUp } from './cost-report.ts';
import { sumUsage } from './usage.ts';

const PERIOD_DAYS = [1, 7, 30] as const;
const LONGEST = Math.max(...PERIOD_DAYS);

/** Today, the last 7 and the last 30 days, each with the same number of days before it. */
export async function readCostPeriods(db: Tx, timezone: string, now: Date): Promise<CostPeriods> {
  const today = createCalendar(timezone).dayOf(Math.floor(now.getTime() / SLOT_MS));
  const query = { by: 'day', timezone, since: addDays(today, 1 - 2 * LONGEST), until: today } as const;
  const cells = await loadCells(db, query);
  const range = (since: string, until: string) => ({
    since,
    until,
    total: totalOf(cellsWithin(cells, { ...query, since, until })),
  });
  const periods = PERIOD_DAYS.map((days) => ({
    days,
    ...range(addDays(today, 1 - days), today),
    before: range(addDays(today, 1 - 2 * days), addDays(today, -days)),
  }));
  return { timezone, periods };
}

function cellsWithin(cells: readonly UsageCell[], query: CostQuery): readonly UsageCell[] {
  const { from, to } = slotRange(query);
  return cells.filter(({ slot }) => slot !== null && slot >= from && slot < to);
}

function totalOf(cells: readonly UsageCell[]) {
  return { sessions: countSessions(cells), ...sumUp(cells) };
}

/** Usage priced at one row of the price book; `rate_id` is empty when none was stored. */
export interface RatedUsage {
  readonly model: string;
  readonly rate_id: string;
  readonly messages: number;
  readonly unpriced_messages: number;
  readonly cost_nanos: number;
  readonly cacheRead: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
}

/** Usage of a period by the rate it was priced at, most expensive first. */
export async function loadRatedUsage(db: Tx, query: CostQuery): Promise<readonly RatedUsage[]> {
  const rows = await sumUsage(db, ['model', 'rate'], withinRange(query));
  return rows
    .map((row) => ({
      model: row.model ?? '',
      rate_id: row.rate ?? '',
      messages: row.messages,
      unpriced_messages: row.unpriced_messages,
      cost_nanos: row.cost_nanos,
      cacheRead: row.cache_read_tokens,
      cacheWrite5m: row.cache_write_tokens - row.cache_write_1h_tokens,
      cacheWrite1h: row.cache_write_1h_tokens,
    }))
    .toSorted((a, b) => b.cost_nanos - a.cost_nanos || (a.model + a.rate_id < b.model + b.rate_id ? -1 : 1));
}

type Parts = Pick<CostBreakdown, 'total' | 'days' | 'places' | 'unknown_models'>;

/** The cost of a period by day and model and by workspace and branch, from the same usage. */
export async function readCostParts(db: Tx, query: CostQuery): Promise<Parts> {
  const cells = await loadCells(db, query, ['session', 'model', 'agent', 'slot', 'branch']);
  const sessions = await loadCostSessions(db, 'workspace');
  const { dayOf } = createCalendar(query.timezone);
  return {
    total: totalOf(cells),
    days: groupBy(cells, ({ slot, model }) => [slot === null ? '' : dayOf(slot), model] as const)
      .map(([[day, model], own]) => ({ day, model, ...totalOf(own) }))
      .toSorted((a, b) => (a.day === b.day ? (b.cost_nanos ?? 0) - (a.cost_nanos ?? 0) : a.day < b.day ? -1 : 1)),
    places: groupBy(cells, ({ sessionId, branch }) => [...placeOf(sessions.get(sessionId)), branch] as const)
      .map(([[workspace_key, workspace, branch], own]) => ({ workspace_key, workspace, branch, ...totalOf(own) }))
      .toSorted((a, b) => (b.cost_nanos ?? 0) - (a.cost_nanos ?? 0) || (a.branch < b.branch ? -1 : 1)),
    unknown_models: findUnknownModels(cells),
  };
}

function placeOf(session: CostSession | undefined): readonly [key: string, label: string] {
  return session === undefined ? ['', ''] : [session.workspace.key, session.workspace.label];
}

/** Groups by several texts. They are joined, not serialized: there are thousands of cells. */
function groupBy<K extends readonly string[]>(
  cells: readonly UsageCell[],
  keyOf: (cell: UsageCell) => K,
): readonly (readonly [K, readonly UsageCell[]])[] {
  const keys = new Map<string, K>();
  const groups = Map.groupBy(cells, (cell) => {
    const key = keyOf(cell);
    const text = key.join('\0');
    if (!keys.has(text)) keys.set(text, key);
    return text;
  });
  return [...groups].map(([text, own]) => [keys.get(text) as K, own] as const);
}

/** The sessions behind one row of `places`, most expensive first. */
export async function listCostSessions(
  db: Tx,
  query: CostQuery,
  place: { readonly workspace: string; readonly branch: string },
): Promise<CostSessions> {
  const cells = await loadCells(db, query, ['session', 'model', 'agent', 'slot', 'branch']);
  const sessions = await loadCostSessions(db, 'workspace');
  const own = cells.filter(
    ({ sessionId, branch }) => branch === place.branch && sessions.get(sessionId)?.workspace.key === place.workspace,
  );
  return {
    sessions: [...Map.groupBy(own, ({ sessionId }) => sessionId)]
      .map(([session_id, some]) => ({ session_id, title: sessions.get(session_id)?.title ?? null, ...sumUp(some) }))
      .toSorted((a, b) => (b.cost_nanos ?? 0) - (a.cost_nanos ?? 0) || (a.session_id < b.session_id ? -1 : 1)),
  };
}
