import type { SessionFilters } from '../api/sessions.ts';
import type { CostGroup, CostQuery } from '../domain/cost.ts';
import { FuelError } from '../domain/errors.ts';
import { type FieldNode, fieldsOf, type SearchNode, type SessionSelection } from '../domain/search.ts';
import { SLOT_MS } from '../domain/usage.ts';
import { createCalendar, systemTimezone } from '../lib/calendar.ts';
import { type DateOptions, type DateSpan, readDate } from '../lib/dates.ts';
import type { FieldOptions } from '../search/field-node.ts';
import { fieldQuery, filterNode } from '../search/parse-query.ts';
import type { Tx } from '../store/engine.ts';
import { resolveNames } from '../store/queries/sessions/field-conditions.ts';

/** The sessions that the filters of a request describe. Errors: usage, bad_query; not_found for a workspace or device. */
export async function selectSessions(db: Tx, filters: SessionFilters, now: Date): Promise<SessionSelection> {
  const { named, asked } = readFilters(filters, { now });
  const nodes = [
    named === null ? null : await resolveNames(db, named, { mustExist: true }),
    asked === null ? null : await resolveNames(db, asked, { mustExist: false }),
  ];
  return { where: joinAll(nodes), all: filters.all };
}

/** Checks filters before anything is opened, and returns their fields. Errors: usage, bad_query. */
export function checkFilters(filters: SessionFilters, options: FieldOptions): readonly FieldNode[] {
  const { named, asked } = readFilters(filters, options);
  return [named, asked].flatMap((node) => (node === null ? [] : fieldsOf(node)));
}

function readFilters({ q, zone, ...filters }: SessionFilters, options: FieldOptions) {
  // In a query, fields are written without dashes, so the labels of options do not apply.
  const asked = q === undefined ? null : fieldQuery(q, { now: options.now, zone });
  return { named: filterNode(filters, { ...options, zone }), asked };
}

/** One flat conjunction, so that the fields of a tool call apply to the same call. */
function joinAll(nodes: readonly (SearchNode | null)[]): SearchNode | null {
  const all = nodes.flatMap((node) => (node === null ? [] : node.kind === 'all' ? node.nodes : [node]));
  const [first] = all;
  return first === undefined || all.length === 1 ? (first ?? null) : { kind: 'all', nodes: all };
}

/** A query as given on the command line or in a URL. */
export interface CostInput {
  readonly by?: CostGroup | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly timezone?: string | undefined;
  readonly breakdown?: boolean | undefined;
}

/** `label`: how messages name an input. Errors: usage, naming the invalid value. */
export function readCostQuery(input: CostInput, now: Date, label = (name: string) => name): CostQuery {
  const { timezone: zone } = createCalendar(input.timezone ?? systemTimezone());
  const days = (name: 'since' | 'until') => {
    const text = input[name];
    return text === undefined ? null : readDays(text, { now, zone, name: label(name) });
  };
  const since = days('since')?.first ?? null;
  const until = days('until')?.last ?? null;
  if (since !== null && until !== null && since > until) {
    throw new FuelError('usage', `The start date ${since} is after the end date ${until}.`, {
      hint: 'Both dates are inclusive.',
    });
  }
  return { by: input.by ?? 'day', timezone: zone, since, until, ...(input.breakdown ? { breakdown: true } : {}) };
}

/** Days with both ends as moments: from `from` (inclusive) to `to` (exclusive). Errors: usage without both days. */
export function momentsOf({ since, until, timezone }: CostQuery) {
  if (since === null || until === null) throw new FuelError('usage', 'Both since and until are required.');
  const { firstSlotOf, firstSlotAfter } = createCalendar(timezone);
  const at = (slot: number) => new Date(slot * SLOT_MS).toISOString();
  return { since, until, from: at(firstSlotOf(since)), to: at(firstSlotAfter(until)) };
}

/** Costs are stored per quarter of an hour but reported per day. */
function readDays(text: string, options: DateOptions): Extract<DateSpan, { kind: 'days' }> {
  const span = readDate(text, { ...options, forms: DAY_FORMS });
  if (span.kind === 'days' && span.first >= '1000' && span.last < '3000') return span;
  throw new FuelError('usage', `${options.name} must be a day, not ${JSON.stringify(text)}.`, {
    hint: `Only whole days can be used here: ${DAY_FORMS}.`,
  });
}

export const DAY_FORMS = '2026-11-15, 2026-11, 2026, today, yesterday, monday, 7d, 2w, 3mo or 1y';
