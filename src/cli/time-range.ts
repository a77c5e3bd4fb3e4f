import { createCalendar, systemTimezone } from '../domain/calendar.ts';
import { readCostQuery } from '../domain/cost-query.ts';
import { FuelError } from '../domain/errors.ts';
import { SLOT_MS } from '../domain/usage.ts';
import type { CommandOption, ParsedArguments } from './command.ts';

/** When: in the same words for every command. */
export const TIME_OPTIONS: Readonly<Record<'today' | 'since' | 'until' | 'timezone', CommandOption>> = {
  today: { type: 'boolean', about: 'Today only.' },
  since: { type: 'string', value: 'DAY', about: 'First day: 2026-11-15, today, yesterday, 7d, 2w or 3m.' },
  until: { type: 'string', value: 'DAY', about: 'Last day, in the same words; it is included.' },
  timezone: { type: 'string', value: 'ZONE', about: 'Whose days, for example Europe/Berlin (default: the system’s).' },
};

export interface TimeRange {
  readonly after?: string;
  readonly before?: string;
}

/** Errors: usage, naming the word that does not fit. */
export function readTimeRange({ flags, values }: ParsedArguments, now: Date): TimeRange {
  const isToday = flags.has('today');
  if (isToday && (values.has('since') || values.has('until'))) {
    throw new FuelError('usage', '--today cannot be given with --since or --until.', { hint: 'Leave one out.' });
  }
  // Asking the system for its time zone takes longer than most questions: only where days are meant.
  if (!isToday && !['since', 'until', 'timezone'].some((name) => values.has(name))) return {};
  const today = isToday ? 'today' : undefined;
  const words = { since: values.get('since') ?? today, until: values.get('until') ?? today };
  const { since, until, timezone } = readCostQuery({ ...words, timezone: values.get('timezone') }, now);
  const calendar = createCalendar(timezone);
  const timeOf = (slot: number) => new Date(slot * SLOT_MS).toISOString();
  return {
    ...(since === null ? {} : { after: timeOf(calendar.firstSlotOf(since)) }),
    ...(until === null ? {} : { before: timeOf(calendar.firstSlotAfter(until)) }),
  };
}

/** Whose days are meant. */
export function readTimezone({ values }: ParsedArguments): string {
  return values.get('timezone') ?? systemTimezone();
}
