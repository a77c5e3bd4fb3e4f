import type { CostBreakdown } from '../api/cost.ts';
import { addDays, mondayOf } from '../domain/days.ts';
import { distinctLabels, shortPlaces } from '../domain/distinct-labels.ts';
import { DAY_MS } from '../domain/durations.ts';
import { workspacePlace } from '../domain/workspace.ts';
import { formatCount, formatMonth, formatNanos, formatShortDay, NOTHING, shortModel } from './format.ts';

/** The consecutive days of one chart column. */
export interface DaySpan {
  readonly first: string;
  readonly last: string;
}

const MAX_DAY_COLUMNS = 120;
const MAX_WEEK_COLUMNS = 120;
const MONTH_CHARS = 'yyyy-mm'.length;

/** All days from the first to the last, as days, weeks or months: what fits into a chart. Also those without usage. */
export function spansBetween(first: string, last: string): readonly DaySpan[] {
  const days: string[] = [];
  for (let day = first; day <= last; day = addDays(day, 1)) days.push(day);
  const groupOf =
    days.length <= MAX_DAY_COLUMNS
      ? (day: string) => day
      : days.length <= 7 * MAX_WEEK_COLUMNS
        ? mondayOf
        : (day: string) => day.slice(0, MONTH_CHARS);
  return [...Map.groupBy(days, groupOf).values()].map((own) => ({ first: own[0] ?? '', last: own.at(-1) ?? '' }));
}

/** How much time a column of these spans covers. */
export function unitOfSpans(spans: readonly DaySpan[]): 'day' | 'week' | 'month' {
  const days = Math.max(...spans.map(({ first, last }) => (Date.parse(last) - Date.parse(first)) / DAY_MS));
  return days < 1 ? 'day' : days < 7 ? 'week' : 'month';
}

/** `5 Jan`, or `Jan 2026` for a month. */
export function labelOfSpan(span: DaySpan): string {
  return unitOfSpans([span]) === 'month' ? formatMonth(span.first) : formatShortDay(span.first);
}

type DayRow = CostBreakdown['days'][number];
type Place = CostBreakdown['places'][number];

/** A model with its cost in the period, or all models that share the last color; the rank decides the color. */
export interface ModelCost {
  readonly name: string;
  readonly models: readonly string[];
  readonly rank: number;
  readonly costNanos: number;
  readonly isPriced: boolean;
}

/** Models by cost, most expensive first; those that exceed the limit are combined into one. */
export function rankModels(days: readonly DayRow[], most = Number.POSITIVE_INFINITY): readonly ModelCost[] {
  const costs = [...Map.groupBy(days, ({ model }) => model)]
    .map(([model, own]) => costOf(nameOfModel(model), [model], own))
    .toSorted((a, b) => b.costNanos - a.costNanos || ((a.models[0] ?? '') < (b.models[0] ?? '') ? -1 : 1));
  const shown = costs.length > most ? costs.slice(0, most - 1) : costs;
  const others = costs.slice(shown.length).flatMap(({ models }) => models);
  const rest = days.filter(({ model }) => others.includes(model));
  const all = others.length === 0 ? shown : [...shown, costOf(`${others.length} other models`, others, rest)];
  return all.map((cost, rank) => ({ ...cost, rank }));
}

function costOf(name: string, models: readonly string[], rows: readonly DayRow[]): Omit<ModelCost, 'rank'> {
  return { name, models, costNanos: sumOf(rows), isPriced: rows.some(({ cost_nanos }) => cost_nanos !== null) };
}

function sumOf(rows: readonly { readonly cost_nanos: number | null }[]): number {
  return rows.reduce((sum, { cost_nanos }) => sum + (cost_nanos ?? 0), 0);
}

/** The models of some days, in the order of their ranks. */
export function modelsWithin(
  days: readonly DayRow[],
  { first, last }: DaySpan,
  ranked: readonly ModelCost[],
): readonly ModelCost[] {
  const within = days.filter(({ day }) => day >= first && day <= last);
  return ranked.flatMap((model) => {
    const own = within.filter((row) => model.models.includes(row.model));
    return own.length === 0 ? [] : [{ ...model, costNanos: sumOf(own) }];
  });
}

export function nameOfModel(model: string): string {
  return model === '' ? '(no model)' : shortModel(model);
}

export function nameOfSpan({ first, last }: DaySpan): string {
  return first === last ? first : `${first} to ${last}`;
}

/** `2026-11-15: $4.20 (opus 5.5 $4.00, haiku 5.5 $0.20)`. */
export function describeSpan(span: DaySpan, models: readonly ModelCost[]): string {
  const name = nameOfSpan(span);
  if (models.length === 0) return `${name}: no usage`;
  const parts = models.map(({ name: model, costNanos }) => `${model} ${formatNanos(costNanos)}`);
  return `${name}: ${formatNanos(models.reduce((sum, { costNanos }) => sum + costNanos, 0))} (${parts.join(', ')})`;
}

/** The cost of something that may contain usage without a price. */
export function formatSums(sums: { readonly cost_nanos: number | null; readonly unpriced_messages: number }): string {
  return formatNanos(sums.cost_nanos, sums.unpriced_messages > 0 ? ['?'] : []);
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

/** Names of workspaces by key; those with the same name also have the folder or owner that they are in. */
export function nameWorkspaces(names: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const placed = [...names].map(([id, name]) => ({ id, name, place: workspacePlace(id) }));
  return distinctLabels(
    placed.map(({ id, name }) => ({ key: id, label: name })),
    shortPlaces(placed),
  );
}

/** Workspaces with their branches, most expensive first. */
export function groupPlaces(places: readonly Place[]): readonly WorkspaceCost[] {
  const names = nameWorkspaces(new Map(places.map((place) => [place.workspace_key, place.workspace || NOTHING])));
  return [...Map.groupBy(places, ({ workspace_key }) => workspace_key)]
    .map(([key, branches]) => ({
      key,
      name: names.get(key) ?? NOTHING,
      costNanos: sumOf(branches),
      isPriced: branches.some(({ cost_nanos }) => cost_nanos !== null),
      unpricedMessages: branches.reduce((sum, { unpriced_messages }) => sum + unpriced_messages, 0),
      messages: branches.reduce((sum, { messages }) => sum + messages, 0),
      branches,
    }))
    .toSorted((a, b) => b.costNanos - a.costNanos || (a.name < b.name ? -1 : 1));
}
