/** Claude Code did not exist before 2020; a clock past 2100 is wrong. */
const EARLIEST = '2020';
const LATEST = '2100';
const EARLIEST_MS = Date.UTC(Number(EARLIEST), 0);
const LATEST_MS = Date.UTC(Number(LATEST), 0);
const SHORTEST_TIME = '2026-01-01T00:00:00Z'.length;

/** True for an ISO-8601 time between 2020 and 2100. */
export function isPlausibleTime(timestamp: string): boolean {
  if (timestamp.length < SHORTEST_TIME || timestamp < EARLIEST || timestamp >= LATEST) return false;
  return Number.isFinite(Date.parse(timestamp));
}

/** The same check for a time in milliseconds. */
export function isPlausibleMillis(timeMs: number): boolean {
  return timeMs >= EARLIEST_MS && timeMs < LATEST_MS;
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

function isBefore(a: string, b: string): boolean {
  return Date.parse(a) < Date.parse(b);
}

/** Milliseconds between two times, never negative; null if either is missing or invalid. */
export function millisBetween(from: string | null, to: string | null): number | null {
  if (from === null || to === null) return null;
  const span = Date.parse(to) - Date.parse(from);
  return Number.isFinite(span) ? Math.max(0, span) : null;
}
