/**
 * A time zone in which it is about noon now, for programs that use the real clock: the day does not end while a test runs.
 */
export function middayZone(now = new Date()): string {
  const hoursBehind = now.getUTCHours() - 12;
  // In the names of these zones, east of Greenwich is negative.
  return hoursBehind === 0 ? 'Etc/GMT' : `Etc/GMT${hoursBehind > 0 ? '+' : '-'}${Math.abs(hoursBehind)}`;
}
