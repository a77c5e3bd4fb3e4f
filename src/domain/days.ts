import { DAY_MS } from './durations.ts';

/** The day of a local time that is given as if it were UTC, like 2026-11-15. */
export function dayText(localMs: number): string {
  return new Date(localMs).toISOString().slice(0, 'yyyy-mm-dd'.length);
}

/** The same day some days later, or earlier when negative. */
export function addDays(day: string, days: number): string {
  return dayText(Date.parse(day) + days * DAY_MS);
}

const MONDAY = 1;

/** The Monday of its ISO 8601 week. */
export function mondayOf(day: string): string {
  const weekday = new Date(day).getUTCDay();
  return addDays(day, -((weekday - MONDAY + 7) % 7));
}
