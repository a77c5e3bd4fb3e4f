import { type Calendar, createCalendar } from '../../../lib/calendar.ts';
import { FuelError } from '../../../domain/errors.ts';
import type { UsageReport, UsageRow } from '../../../api/usage.ts';
import { addUsage, NO_USAGE, type UsageGroup } from '../../../domain/usage-sum.ts';
import { NO_SLOT } from '../../../domain/usage.ts';
import type { SearchNode } from '../../../domain/search.ts';
import type { Engine } from '../../engine.ts';
import { sessionCondition, usageCondition } from '../sessions/field-conditions.ts';
import { type SummedUsage, sumUsage, type UsageWithin } from './sum-usage.ts';

export interface UsageQuestion {
  readonly by?: readonly UsageGroup[] | undefined;
  readonly zone: string;
  /** Of these sessions. */
  readonly where: SearchNode | null;
  /** Of the usage itself: time and model. */
  readonly usage: SearchNode | null;
}

const MAX_ROWS_READ = 500_000;

/** What was used, by whatever is asked for. A sum over all of it is the sum over all sessions. Errors: too_large. */
export async function readUsage(engine: Engine, query: UsageQuestion): Promise<UsageReport> {
  const by = query.by ?? [];
  const columns = [...new Set(by.map((group) => (group === 'day' || group === 'hour' ? 'slot' : group)))];
  const found = await sumUsage(engine.kysely, columns, { ...withinOf(engine, query), limit: MAX_ROWS_READ + 1 });
  if (found.length > MAX_ROWS_READ) throw tooMuch();
  const calendar = createCalendar(query.zone);
  const rows = new Map<string, UsageRow>();
  for (const sum of found) {
    const names = by.map((group) => [group, nameOf(sum, group, calendar)]);
    const key = JSON.stringify(names);
    rows.set(key, { group: Object.fromEntries(names), ...addUsage(rows.get(key) ?? NO_USAGE, sum) });
  }
  const sorted = [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  return { total: sorted.reduce(addUsage, NO_USAGE), rows: sorted };
}

function nameOf(sum: SummedUsage, group: UsageGroup, { dayOf, hourOf }: Calendar): string {
  if ((group === 'day' || group === 'hour') && sum.slot === NO_SLOT) return '';
  if (group === 'day') return dayOf(sum.slot ?? 0);
  return group === 'hour' ? hourOf(sum.slot ?? 0) : (sum[group] ?? '');
}

function withinOf(engine: Engine, { where, usage }: UsageQuestion): UsageWithin {
  return {
    ...(where === null ? {} : { session: sessionCondition(engine, where) }),
    ...(usage === null ? {} : { usage: usageCondition(engine, usage) }),
  };
}

function tooMuch(): FuelError {
  return new FuelError('too_large', 'The report would have too many rows.', {
    hint: 'Use a shorter period (after, before) or fewer groups.',
  });
}
