import { readlinkSync } from 'node:fs';
import { addDays, dayText, mondayOf } from '../domain/days.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../domain/durations.ts';
import { FuelError } from '../domain/errors.ts';
import { localTimezone } from '../domain/timezone.ts';
import { SLOT_MS } from '../domain/usage.ts';

const SLOTS_PER_DAY = DAY_MS / SLOT_MS;
/** No time zone is further from UTC. */
const MAX_OFFSET_MS = 15 * HOUR_MS;

/** The days of a time zone, written like 2026-11-15. A slot is a quarter of an hour. */
export interface Calendar {
  /** Empty for that of the system. */
  readonly timezone: string;
  /** The day of a slot. */
  dayOf(slot: number): string;
  /** The hour of a slot, like 2026-11-15T09. */
  hourOf(slot: number): string;
  /** The local time of a slot, like 2026-11-15 09:45. */
  clockOf(slot: number): string;
  /** The first slot of a day, or of the next day where the zone skipped it. */
  firstSlotOf(day: string): number;
  /** The first slot after a day. */
  firstSlotAfter(day: string): number;
  /** Converts local time, given as if it were UTC, to UTC. */
  timeOf(localMs: number): number;
}

const MAX_CALENDARS = 8;
const calendars = new Map<string, Calendar>();

/** The last few are kept: asking the system about every day of a long period takes longer than most queries. Errors: usage for an unknown time zone. */
export function createCalendar(timezone: string): Calendar {
  const calendar = calendars.get(timezone) ?? calendarOf(timezone, createOffsets(findClock(timezone)));
  calendars.delete(timezone);
  calendars.set(timezone, calendar);
  const [oldest] = calendars.keys();
  if (calendars.size > MAX_CALENDARS && oldest !== undefined) calendars.delete(oldest);
  return calendar;
}

/** The calendar of the system's time zone, without loading the data of all others, which takes several milliseconds. */
export function createSystemCalendar(): Calendar {
  return calendarOf('', createOffsets(systemClock));
}

function calendarOf(timezone: string, offsetAt: (slot: number) => number): Calendar {
  const texts = new Map<number, string>();
  const dayOf = (slot: number) => {
    const day = Math.floor((slot * SLOT_MS + offsetAt(slot)) / DAY_MS);
    const text = texts.get(day) ?? dayText(day * DAY_MS);
    texts.set(day, text);
    return text;
  };
  const firstSlotOf = (day: string) => {
    let slot = (Date.parse(day) - MAX_OFFSET_MS) / SLOT_MS;
    while (dayOf(slot) < day) slot += 1;
    return slot;
  };
  const localOf = (slot: number, format: string) =>
    new Date(slot * SLOT_MS + offsetAt(slot)).toISOString().slice(0, format.length);
  const hourOf = (slot: number) => localOf(slot, 'yyyy-mm-ddThh');
  const clockOf = (slot: number) => localOf(slot, 'yyyy-mm-ddThh:mm').replace('T', ' ');
  // The offset at the result counts; it differs from that at the input only around a clock change.
  const offsetMs = (timeMs: number) => offsetAt(Math.floor(timeMs / SLOT_MS));
  const timeOf = (localMs: number) => localMs - offsetMs(localMs - offsetMs(localMs));
  const firstSlotAfter = (day: string) => firstSlotOf(addDays(day, 1));
  return { timezone, dayOf, hourOf, clockOf, firstSlotOf, firstSlotAfter, timeOf };
}

/**
 * Milliseconds that the zone is ahead of UTC. Asking the system is slow, so a UTC day that starts and ends with the same
 * offset is assumed to have it throughout.
 */
function createOffsets(ask: (timeMs: number) => number): (slot: number) => number {
  const known = new Map<number, number>();
  const startOf = (utcDay: number) => {
    const offset = known.get(utcDay) ?? ask(utcDay * DAY_MS);
    known.set(utcDay, offset);
    return offset;
  };
  return (slot) => {
    const utcDay = Math.floor(slot / SLOTS_PER_DAY);
    const offset = startOf(utcDay);
    return offset === startOf(utcDay + 1) ? offset : ask(slot * SLOT_MS);
  };
}

/** Milliseconds that a zone is ahead of UTC at a time. */
function findClock(timezone: string): (timeMs: number) => number {
  return timezone === linkedTimezone() ? systemClock : createClock(timezone);
}

function systemClock(timeMs: number): number {
  return -new Date(timeMs).getTimezoneOffset() * MINUTE_MS;
}

function createClock(timezone: string): (timeMs: number) => number {
  const format = createFormat(timezone);
  return (timeMs) => {
    const parts = Object.fromEntries(format.formatToParts(timeMs).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day, hour, minute, second } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second) - timeMs;
  };
}

function createFormat(timeZone: string): Intl.DateTimeFormat {
  const [number, digits] = ['numeric', '2-digit'] as const;
  const date = { year: number, month: digits, day: digits } as const;
  const time = { hour: digits, minute: digits, second: digits, hourCycle: 'h23' } as const;
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      ...date,
      ...time,
    });
  } catch {
    throw new FuelError('usage', `Unknown time zone ${JSON.stringify(timeZone)}.`, {
      hint: 'Use a name such as Europe/Berlin, America/New_York or UTC.',
    });
  }
}

export function systemTimezone(): string {
  return linkedTimezone() ?? localTimezone();
}

/** Null if it is unknown or not trusted; undefined until it is first needed. */
let linked: string | null | undefined = null;

/**
 * Allows naming the system's time zone after the link /etc/localtime, which is right unless TZ is set. Otherwise Intl is
 * asked, whose data takes half as long to load as Node.js.
 */
export function trustTimezoneLink(): void {
  linked = undefined;
}

function linkedTimezone(): string | null {
  if (linked === undefined) linked = readTimezoneLink();
  return linked;
}

function readTimezoneLink(): string | null {
  try {
    return timezoneOfLink(readlinkSync('/etc/localtime'));
  } catch {
    return null;
  }
}

/** `/usr/share/zoneinfo/Europe/Berlin` → `Europe/Berlin`; null for anything unusual. */
export function timezoneOfLink(target: string): string | null {
  const name = /\/zoneinfo\/((?:[A-Z]\w*\/)*[A-Z]\w*(?:-\w+)*)$/.exec(target)?.[1] ?? null;
  return name !== null && UTC_NAMES.has(name) ? 'UTC' : name;
}

const UTC_NAMES: ReadonlySet<string> = new Set([
  'Etc/UTC',
  'Etc/UCT',
  'Etc/Universal',
  'Etc/Zulu',
  'UCT',
  'Universal',
  'Zulu',
]);

/** 2026-11-16 → 2026-W47. The year of a week is that of its Thursday. */
export function isoWeek(day: string): string {
  const thursday = addDays(mondayOf(day), 3);
  const year = thursday.slice(0, 4);
  const daysIntoYear = (Date.parse(thursday) - Date.parse(`${year}-01-01`)) / DAY_MS;
  return `${year}-W${String(Math.floor(daysIntoYear / 7) + 1).padStart(2, '0')}`;
}

/** The local day at a time, with the first slots of its month, of itself and of the next day. */
export function localDay(
  now: Date,
  timezone: string,
): { readonly day: string; readonly monthFrom: number; readonly from: number; readonly to: number } {
  const { dayOf, firstSlotOf, firstSlotAfter } = createCalendar(timezone);
  const day = dayOf(Math.floor(now.getTime() / SLOT_MS));
  const firstOfMonth = `${day.slice(0, 7)}-01`;
  return { day, monthFrom: firstSlotOf(firstOfMonth), from: firstSlotOf(day), to: firstSlotAfter(day) };
}
