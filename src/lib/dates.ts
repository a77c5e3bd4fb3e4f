import { addDays, dayText } from '../domain/days.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../domain/durations.ts';
import { FuelError } from '../domain/errors.ts';
import { SLOT_MS } from '../domain/usage.ts';
import { type Calendar, createCalendar, systemTimezone } from './calendar.ts';

/**
 * The date format used everywhere: on the command line, in the API and in searches. Days are days in `zone`, by default
 * the time zone of the system. Times with an offset or Z do not depend on it.
 */
export const DATE_FORMS =
  '2026-11-15, 2026-11, 2026, 2026-11-15T09:30, today, yesterday, monday, or an age: 30min, 12h, 7d, 3w, 6mo, 1y';

export interface DateOptions {
  readonly now: Date;
  readonly zone?: string | undefined;
  /** The option or parameter, for error messages. */
  readonly name?: string;
  /** The accepted forms, for error messages (default: all). */
  readonly forms?: string;
}

/** A moment or whole days: relative days, weeks, months and years count back from today and denote one day. */
export type DateSpan =
  | { readonly kind: 'moment'; readonly at: string }
  | { readonly kind: 'days'; readonly first: string; readonly last: string };

/** Errors: usage, listing the accepted forms. */
export function readDate(text: string, options: DateOptions): DateSpan {
  const word = text.trim().toLowerCase();
  const span = findAge(word, options) ?? findDays(word, options) ?? findMoment(word, options);
  if (span !== null) return span;
  const { name } = options;
  if (/^\d+m$/.test(word)) throw ambiguous('date', text, name);
  throw new FuelError('usage', `Invalid date ${JSON.stringify(text)}${forName(name)}.`, {
    hint: `Valid dates: ${options.forms ?? DATE_FORMS}.`,
  });
}

/** The first moment of a date, in the format of the store. Errors: usage. */
export function startOfDate(text: string, options: DateOptions): string {
  const span = readDate(text, options);
  return span.kind === 'moment' ? span.at : startOfDay(calendarOf(options), span.first);
}

/** The first moment after a date; for a moment, the moment itself. Errors: usage. */
export function endOfDate(text: string, options: DateOptions): string {
  const span = readDate(text, options);
  if (span.kind === 'moment') return span.at;
  return span.last === LAST_DAY ? END_OF_TIME : startOfDay(calendarOf(options), addDays(span.last, 1));
}

/** The store sorts times as text, so years must have four digits. */
const START_OF_TIME = '0001-01-01T00:00:00.000Z';
const LAST_DAY = '9999-12-31';
const END_OF_TIME = '9999-12-31T23:59:59.999Z';

function isDay(text: string): boolean {
  const at = new Date(`${text}T00:00:00.000Z`);
  return text >= '0001-01-01' && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}

/** Months and years have a fixed length here; dates use the calendar. */
const SPAN_UNITS_MS: Readonly<Record<string, number>> = {
  s: SECOND_MS,
  min: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
  w: 7 * DAY_MS,
  mo: 30 * DAY_MS,
  y: 365 * DAY_MS,
};
const MAX_SPAN_MS = 1_000 * 365 * DAY_MS;

/** `90s`, `30min`, `2h`, `1.5d`, `3w`, `6mo`, `1y` in milliseconds. Errors: usage. */
export function readDuration(text: string, name?: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?)([a-z]+)$/.exec(text.trim().toLowerCase()) ?? [];
  if (unit === 'm') throw ambiguous('duration', text, name);
  const ms = Math.round(Number(digits) * (SPAN_UNITS_MS[unit] ?? Number.NaN));
  if (digits !== '' && ms <= MAX_SPAN_MS) return ms;
  throw new FuelError('usage', `Invalid duration ${JSON.stringify(text)}${forName(name)}.`, {
    hint: 'Write a number and a unit: 90s, 30min, 2h, 7d, 3w, 6mo or 1y.',
  });
}

function ambiguous(what: string, text: string, name: string | undefined): FuelError {
  const count = text.trim().slice(0, -1);
  return new FuelError(
    'usage',
    `Ambiguous ${what} ${JSON.stringify(text)}${forName(name)}: m could be minutes or months.`,
    {
      hint: `Write ${count}min or ${count}mo.`,
    },
  );
}

function forName(name: string | undefined): string {
  return name === undefined ? '' : ` for ${name}`;
}

/** A thousand years. */
const MAX_AGO_DAYS = 366_000;
const DAYS_PER_UNIT: Readonly<Record<string, number>> = { d: 1, w: 7, mo: 31, y: 366 };

function findAge(word: string, options: DateOptions): DateSpan | null {
  const [, digits = '', unit = ''] = /^(\d{1,6})(min|h|d|w|mo|y)$/.exec(word) ?? [];
  if (digits === '') return null;
  const count = Number(digits);
  if (unit === 'min' || unit === 'h') {
    const ago = count * (SPAN_UNITS_MS[unit] ?? 0);
    return ago > MAX_AGO_DAYS * DAY_MS ? null : moment(new Date(options.now.getTime() - ago));
  }
  const perUnit = DAYS_PER_UNIT[unit] ?? 1;
  if (count * perUnit > MAX_AGO_DAYS) return null;
  const today = todayOf(options);
  if (unit === 'mo' || unit === 'y') return oneDay(monthsBefore(today, unit === 'y' ? 12 * count : count));
  return oneDay(addDays(today, -count * perUnit));
}

/** The same day of an earlier month, or the last day of that month if it is shorter. */
function monthsBefore(day: string, months: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return dayOf(year, month - months, Math.min(date, lastDateOf(year, month - months)));
}

function lastDateOf(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function dayOf(year: number, month: number, date: number): string {
  return dayText(Date.UTC(year, month - 1, date));
}

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

function findDays(word: string, options: DateOptions): DateSpan | null {
  if (word === 'today') return oneDay(todayOf(options));
  if (word === 'yesterday') return oneDay(addDays(todayOf(options), -1));
  if (WEEKDAYS.includes(word)) return oneDay(lastWeekday(todayOf(options), WEEKDAYS.indexOf(word)));
  const [, year = '', month, date] = /^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?$/.exec(word) ?? [];
  if (year === '') return null;
  const pad = (part: string) => part.padStart(2, '0');
  const first = `${year}-${pad(month ?? '1')}-${pad(date ?? '1')}`;
  if (!isDay(first)) return null;
  if (date !== undefined) return oneDay(first);
  const lastMonth = Number(month ?? 12);
  return { kind: 'days', first, last: dayOf(Number(year), lastMonth, lastDateOf(Number(year), lastMonth)) };
}

/** The most recent such day, which may be today. */
function lastWeekday(today: string, weekday: number): string {
  return addDays(today, -((new Date(today).getUTCDay() - weekday + 7) % 7));
}

const TIME = /^(\d{4}-\d\d-\d\d)t\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(z|[+-]\d\d:?\d\d)?$/;

function findMoment(word: string, options: DateOptions): DateSpan | null {
  const [, day = '', offset] = TIME.exec(word) ?? [];
  if (!isDay(day)) return null;
  const iso = word.toUpperCase();
  const at = new Date(offset === undefined ? `${iso}Z` : iso);
  if (Number.isNaN(at.getTime()) || at.toISOString() < '0001' || at.toISOString() > END_OF_TIME) return null;
  return moment(offset === undefined ? new Date(calendarOf(options).timeOf(at.getTime())) : at);
}

function moment(at: Date): DateSpan {
  return { kind: 'moment', at: at.toISOString() };
}

function oneDay(day: string): DateSpan {
  return { kind: 'days', first: day, last: day };
}

/** Reading the system time zone takes longer than most queries, so it is done only when days are involved. */
function calendarOf({ zone }: DateOptions): Calendar {
  return createCalendar(zone ?? systemTimezone());
}

function todayOf(options: DateOptions): string {
  return calendarOf(options).dayOf(Math.floor(options.now.getTime() / SLOT_MS));
}

/** East of Greenwich the first day begins in the year 0, which PostgreSQL does not know. */
function startOfDay(calendar: Calendar, day: string): string {
  const at = Math.max(calendar.firstSlotOf(day) * SLOT_MS, Date.parse(START_OF_TIME));
  return new Date(at).toISOString();
}
