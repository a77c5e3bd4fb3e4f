/** The local time zone; UTC, as for the clock, if `TZ` is empty or names no time zone. */
export function localTimezone(): string {
  const zone: string | undefined = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return zone === undefined || zone === 'Etc/Unknown' ? 'UTC' : zone;
}
