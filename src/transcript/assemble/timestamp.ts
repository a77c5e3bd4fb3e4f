/** Claude Code did not exist before 2020; a clock past 2100 is wrong. */
const EARLIEST = '2020';
const LATEST = '2100';
const ISO_LENGTH_MIN = 20;

/** True for an ISO-8601 time between 2020 and 2100. Cheap: strings of one form sort like the times they mean. */
export function isPlausibleTime(timestamp: string): boolean {
  if (timestamp.length < ISO_LENGTH_MIN || timestamp < EARLIEST || timestamp >= LATEST) return false;
  const last = timestamp.charCodeAt(timestamp.length - 1);
  if (timestamp.charCodeAt(10) === 0x54 && last === 0x5a && timestamp.length === 24) return isDigitsAt(timestamp);
  return Number.isFinite(Date.parse(timestamp));
}

/** The common form `2026-01-21T20:53:24.199Z`; month and day in range is checked where the time is used. */
function isDigitsAt(timestamp: string): boolean {
  const month = timestamp.slice(5, 7);
  const day = timestamp.slice(8, 10);
  return month >= '01' && month <= '12' && day >= '01' && day <= '31' && timestamp.charCodeAt(19) === 0x2e;
}

/** Milliseconds between two times, never negative; null when one is missing or no time. */
export function millisBetween(from: string | null, to: string | null): number | null {
  if (from === null || to === null) return null;
  const span = Date.parse(to) - Date.parse(from);
  return Number.isFinite(span) ? Math.max(0, span) : null;
}
