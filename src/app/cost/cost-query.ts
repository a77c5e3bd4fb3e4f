import { createCalendar, isDay, systemTimezone } from '../../lib/calendar.ts';
import { COST_GROUPS, type CostGroup, type CostQuery } from '../../domain/cost.ts';
import { FuelError } from '../../domain/errors.ts';
import { type DateOptions, type DateSpan, readDate } from '../../lib/dates.ts';

/** A query as people write it, on a command line or in an address. */
export interface CostWords {
  readonly by?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly timezone?: string | undefined;
}

/** Errors: usage, naming the value that is wrong. */
export function readCostQuery(words: CostWords, now: Date): CostQuery {
  const { timezone: zone } = createCalendar(words.timezone ?? systemTimezone());
  const days = (name: 'since' | 'until') => {
    const text = words[name];
    return text === undefined ? null : readDays(text, { now, zone, name: `--${name}` });
  };
  const since = days('since')?.first ?? null;
  const until = days('until')?.last ?? null;
  if (since !== null && until !== null && since > until) {
    throw new FuelError('usage', `The start date ${since} is after the end date ${until}.`, {
      hint: 'Both dates are inclusive.',
    });
  }
  return { by: readGroup(words.by), timezone: zone, since, until };
}

function readGroup(word = 'day'): CostGroup {
  const group = COST_GROUPS.find((known) => known === word);
  if (group !== undefined) return group;
  throw new FuelError('usage', `Cannot group costs by ${JSON.stringify(word)}.`, {
    hint: `Valid values: ${COST_GROUPS.join(', ')}.`,
  });
}

/** Costs are stored by the quarter of an hour but reported by the day. */
function readDays(text: string, options: DateOptions): Extract<DateSpan, { kind: 'days' }> {
  const span = readDate(text, options);
  if (span.kind === 'days' && isDay(span.first) && isDay(span.last)) return span;
  throw new FuelError('usage', `${options.name} must be a day, but is ${JSON.stringify(text)}.`, {
    hint: 'Costs are reported in whole days: 2026-11-15, today, yesterday, monday, 7d, 2w, 3mo or 1y.',
  });
}
