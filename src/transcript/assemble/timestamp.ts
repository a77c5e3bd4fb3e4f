import { DAY_MS } from '../../domain/durations.ts';

/** Claude Code did not exist before 2020; a clock past 2100 is wrong. */
const EARLIEST = '2020';
const LATEST = '2100';
const EARLIEST_MS = Date.UTC(Number(EARLIEST), 0);
const LATEST_MS = Date.UTC(Number(LATEST), 0);
const SHORTEST_TIME = '2026-01-01T00:00:00Z'.length;
const COMMON_TIME = '2026-01-01T00:00:00.000Z'.length;

/** True for an ISO-8601 time between 2020 and 2100. Strings of the same form sort chronologically. */
export function isPlausibleTime(timestamp: string): boolean {
  if (timestamp.length === COMMON_TIME && isCommonForm(timestamp)) return true;
  if (timestamp.length < SHORTEST_TIME || timestamp < EARLIEST || timestamp >= LATEST) return false;
  return Number.isFinite(Date.parse(timestamp));
}

/** The same check for a time in milliseconds. */
export function isPlausibleMillis(timeMs: number): boolean {
  return timeMs >= EARLIEST_MS && timeMs < LATEST_MS;
}

const DASH = 0x2d;
const COLON = 0x3a;

/** Checks `20[2-9]x-mm-ddThh:mm:ss.mmmZ`, the form every client writes, character by character without parsing. */
function isCommonForm(time: string): boolean {
  return (
    time.charCodeAt(0) === 0x32 &&
    time.charCodeAt(1) === 0x30 &&
    isDigit(time, 2, 0x32) &&
    isDigit(time, 3, 0x30) &&
    time.charCodeAt(4) === DASH &&
    isPart(time, 5, 1, 12) &&
    time.charCodeAt(7) === DASH &&
    isPart(time, 8, 1, 31) &&
    time.charCodeAt(10) === 0x54 &&
    isPart(time, 11, 0, 23) &&
    time.charCodeAt(13) === COLON &&
    isPart(time, 14, 0, 59) &&
    time.charCodeAt(16) === COLON &&
    isPart(time, 17, 0, 59) &&
    time.charCodeAt(19) === 0x2e &&
    isPart(time, 20, 0, 99) &&
    isDigit(time, 22, 0x30) &&
    time.charCodeAt(23) === 0x5a
  );
}

function isDigit(time: string, at: number, least: number): boolean {
  const code = time.charCodeAt(at);
  return code >= least && code <= 0x39;
}

/** Two digits from `least` to `most`. */
function isPart(time: string, at: number, least: number, most: number): boolean {
  if (!isDigit(time, at, 0x30) || !isDigit(time, at + 1, 0x30)) return false;
  const value = numberAt(time, at, 2);
  return value >= least && value <= most;
}

/** The earlier of two plausible times; null means no time. */
export function earlierTime(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return isBefore(b, a) ? b : a;
}

/** The later of two plausible times; null means no time. */
export function laterTime(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return isBefore(a, b) ? b : a;
}

/** Times in the common form sort as text; other forms (a time zone, no milliseconds) have to be parsed. */
function isBefore(a: string, b: string): boolean {
  const areCommon = a.length === COMMON_TIME && b.length === COMMON_TIME && isCommonForm(a) && isCommonForm(b);
  return areCommon ? a < b : millisOf(a) < millisOf(b);
}

/** Milliseconds between two times, never negative; null if either is missing or invalid. */
export function millisBetween(from: string | null, to: string | null): number | null {
  if (from === null || to === null) return null;
  const span = millisOf(to) - millisOf(from);
  return Number.isFinite(span) ? Math.max(0, span) : null;
}

/** Days before each month in a year that starts in March, so that the leap day comes last. */
const DAYS_BEFORE = [306, 337, 0, 31, 61, 92, 122, 153, 184, 214, 245, 275];

/** Date.parse, but ten times as fast for the form that clients write. NaN for text that is not a time. */
export function millisOf(time: string): number {
  if (time.length !== COMMON_TIME || !isCommonForm(time)) return Date.parse(time);
  const month = numberAt(time, 5, 2);
  const year = numberAt(time, 0, 4) - (month < 3 ? 1 : 0);
  const leapDays = Math.floor(year / 4) - Math.floor(year / 100) + Math.floor(year / 400);
  const days = year * 365 + leapDays + (DAYS_BEFORE[month - 1] as number) + numberAt(time, 8, 2);
  const seconds = numberAt(time, 11, 2) * 3600 + numberAt(time, 14, 2) * 60 + numberAt(time, 17, 2);
  return days * DAY_MS + seconds * 1000 + numberAt(time, 20, 3) - EPOCH_DAYS * DAY_MS;
}

/** Days from year 0 to 1970-01-01 in the same calendar. */
const EPOCH_DAYS = 719_469;

function numberAt(time: string, from: number, digits: number): number {
  let value = 0;
  for (let at = from; at < from + digits; at += 1) value = value * 10 + (time.charCodeAt(at) - 0x30);
  return value;
}
