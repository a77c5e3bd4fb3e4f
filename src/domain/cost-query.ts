import { addDays, createCalendar, isDay, systemTimezone } from './calendar.ts';
import { COST_GROUPS, type CostGroup, type CostQuery } from './cost.ts';
import { FuelError } from './errors.ts';
import { SLOT_MS } from './usage.ts';

/** A query as people write it, on a command line or in an address. */
export interface CostWords {
  readonly by?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly timezone?: string | undefined;
}

/** Errors: usage, naming the word that does not fit. */
export function readCostQuery(words: CostWords, now: Date): CostQuery {
  const timezone = words.timezone ?? systemTimezone();
  const today = createCalendar(timezone).dayOf(Math.floor(now.getTime() / SLOT_MS));
  const since = words.since === undefined ? null : readDay('since', words.since, today);
  const until = words.until === undefined ? null : readDay('until', words.until, today);
  if (since !== null && until !== null && since > until) {
    throw new FuelError('usage', `The range ends before it begins: since ${since}, until ${until}.`, {
      hint: 'Both days belong to the range.',
    });
  }
  return { by: readGroup(words.by), timezone, since, until };
}

function readGroup(word = 'day'): CostGroup {
  const group = COST_GROUPS.find((known) => known === word);
  if (group !== undefined) return group;
  throw new FuelError('usage', `Costs cannot be grouped by ${JSON.stringify(word)}.`, {
    hint: `They can by ${COST_GROUPS.join(', ')}.`,
  });
}

const UNIT_DAYS: Readonly<Record<string, number>> = { d: 1, w: 7 };
/** More than there are days since the first transcript. */
const MAX_AGO = 36_500;

/** A day, `today`, `yesterday`, or so many days, weeks or months before today. */
function readDay(name: string, text: string, today: string): string {
  const word = text.trim().toLowerCase();
  if (word === 'today') return today;
  if (word === 'yesterday') return addDays(today, -1);
  if (isDay(word)) return word;
  const [, digits = '', unit = ''] = /^(\d{1,5})([dwm])$/.exec(word) ?? [];
  const count = Number(digits);
  if (unit === 'm' && count <= MAX_AGO / 31) return monthsBefore(today, count);
  const days = count * (UNIT_DAYS[unit] ?? Number.NaN);
  if (days <= MAX_AGO) return addDays(today, -days);
  throw new FuelError('usage', `--${name} must be a day, but is ${JSON.stringify(text)}.`, {
    hint: 'Give one like 2026-11-15, today, yesterday, 7d, 2w or 3m: so many days, weeks or months before today.',
  });
}

/** The same day of an earlier month, or its last one where it is shorter. */
function monthsBefore(day: string, months: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const first = new Date(Date.UTC(year, month - 1 - months, 1));
  const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
  first.setUTCDate(Math.min(date, last));
  return first.toISOString().slice(0, day.length);
}
