import type { CostBreakdown } from '../api/cost.ts';
import { dollars } from '../domain/usage.ts';
import { formatCost, formatCount, NOTHING, shortModel } from './format.ts';

type DayRow = CostBreakdown['days'][number];
type Place = CostBreakdown['places'][number];

/** A model with its cost in the period; the rank decides its color. */
export interface ModelCost {
  readonly model: string;
  readonly rank: number;
  readonly costNanos: number;
  readonly isPriced: boolean;
}

/** Models by cost, most expensive first. */
export function rankModels(days: readonly DayRow[]): readonly ModelCost[] {
  const costs = [...Map.groupBy(days, ({ model }) => model)].map(([model, own]) => ({
    model,
    costNanos: sumOf(own),
    isPriced: own.some(({ cost_nanos }) => cost_nanos !== null),
  }));
  return costs
    .toSorted((a, b) => b.costNanos - a.costNanos || (a.model < b.model ? -1 : 1))
    .map((cost, rank) => ({ ...cost, rank }));
}

function sumOf(rows: readonly { readonly cost_nanos: number | null }[]): number {
  return rows.reduce((sum, { cost_nanos }) => sum + (cost_nanos ?? 0), 0);
}

/** The models of one day, in the order of their ranks. */
export function modelsOfDay(days: readonly DayRow[], day: string, ranked: readonly ModelCost[]): readonly ModelCost[] {
  return ranked.flatMap((model) => {
    const own = days.filter((row) => row.day === day && row.model === model.model);
    return own.length === 0 ? [] : [{ ...model, costNanos: sumOf(own) }];
  });
}

export function nameOfModel(model: string): string {
  return model === '' ? '(no model)' : shortModel(model);
}

/** `2026-11-15: $4.20 (opus 5.5 $4.00, haiku 5.5 $0.20)`. */
export function describeDay(day: string, models: readonly ModelCost[]): string {
  if (models.length === 0) return `${day}: no usage`;
  const parts = models.map(({ model, costNanos }) => `${nameOfModel(model)} ${formatNanos(costNanos)}`);
  return `${day}: ${formatNanos(models.reduce((sum, { costNanos }) => sum + costNanos, 0))} (${parts.join(', ')})`;
}

export function formatNanos(nanos: number | null): string {
  return formatCost(nanos === null ? null : dollars(nanos));
}

/** The cost of something that may contain usage without a price. */
export function formatSums(sums: { readonly cost_nanos: number | null; readonly unpriced_messages: number }): string {
  return formatCost(
    sums.cost_nanos === null ? null : dollars(sums.cost_nanos),
    sums.unpriced_messages > 0 ? ['?'] : [],
  );
}

/** Between two periods: `42% more`, `3.1 times as much`, `no change`; a dash when there is nothing to compare with. */
export function describeChange(now: number | null, before: number | null): string {
  if (now === null || before === null || before === 0) return NOTHING;
  if (now === before) return 'no change';
  const ratio = now / before;
  if (ratio >= 3) return `${ratio >= 10 ? formatCount(Math.round(ratio)) : ratio.toFixed(1)} times as much`;
  const percent = Math.round(Math.abs(ratio - 1) * 100);
  const word = ratio > 1 ? 'more' : 'less';
  return `${percent === 0 ? '<1' : percent}% ${word}`;
}

export interface WorkspaceCost {
  readonly key: string;
  readonly name: string;
  readonly costNanos: number;
  readonly isPriced: boolean;
  readonly unpricedMessages: number;
  readonly messages: number;
  readonly branches: readonly Place[];
}

/** Workspaces with their branches, most expensive first. */
export function groupPlaces(places: readonly Place[]): readonly WorkspaceCost[] {
  return [...Map.groupBy(places, ({ workspace_key }) => workspace_key)]
    .map(([key, branches]) => ({
      key,
      name: branches[0]?.workspace || NOTHING,
      costNanos: sumOf(branches),
      isPriced: branches.some(({ cost_nanos }) => cost_nanos !== null),
      unpricedMessages: branches.reduce((sum, { unpriced_messages }) => sum + unpriced_messages, 0),
      messages: branches.reduce((sum, { messages }) => sum + messages, 0),
      branches,
    }))
    .toSorted((a, b) => b.costNanos - a.costNanos || (a.name < b.name ? -1 : 1));
}
