const LENGTH = '2026-01-21T20:53:24.199Z'.length;
const ZERO = 0x30;
const DASH = 0x2d;
const COLON = 0x3a;
const POINT = 0x2e;
const LETTER_T = 0x54;
const LETTER_Z = 0x5a;
const MS_PER_DAY = 86_400_000;

/** Milliseconds of a time in the one form the client writes, read from bytes; NaN for any other form. */
export function isoMillis(bytes: Uint8Array, at: number, end: number): number {
  if (end - at !== LENGTH || bytes[end - 1] !== LETTER_Z || bytes[at + 10] !== LETTER_T) return Number.NaN;
  if (bytes[at + 4] !== DASH || bytes[at + 7] !== DASH || bytes[at + 19] !== POINT) return Number.NaN;
  if (bytes[at + 13] !== COLON || bytes[at + 16] !== COLON) return Number.NaN;
  const year = twoDigits(bytes, at) * 100 + twoDigits(bytes, at + 2);
  const days = daysSince1970(year, twoDigits(bytes, at + 5), twoDigits(bytes, at + 8));
  const minutes = twoDigits(bytes, at + 11) * 60 + twoDigits(bytes, at + 14);
  const millis = twoDigits(bytes, at + 20) * 10 + digit(bytes, at + 22);
  return days * MS_PER_DAY + minutes * 60_000 + twoDigits(bytes, at + 17) * 1_000 + millis;
}

/** The UTC day as text; empty for a time that is not known. */
export function dayText(timeMs: number): string {
  return timeMs < 0 ? '' : new Date(timeMs).toISOString().slice(0, 10);
}

export function dayNumber(timeMs: number): number {
  return timeMs < 0 ? -1 : Math.floor(timeMs / MS_PER_DAY);
}

/** Gregorian days; months count from March, so that the leap day is the last of its year. */
function daysSince1970(year: number, month: number, day: number): number {
  const isLate = month > 2;
  const y = isLate ? year : year - 1;
  const m = isLate ? month - 3 : month + 9;
  const leapDays = Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400);
  return y * 365 + leapDays + Math.floor((153 * m + 2) / 5) + day - 719_469;
}

function twoDigits(bytes: Uint8Array, at: number): number {
  return digit(bytes, at) * 10 + digit(bytes, at + 1);
}

function digit(bytes: Uint8Array, at: number): number {
  const value = (bytes[at] as number) - ZERO;
  return value >= 0 && value <= 9 ? value : Number.NaN;
}
