export const MS_PER_DAY = 86_400_000;

/** The UTC day as text; empty for a time that is not known. */
export function dayText(timeMs: number): string {
  return timeMs < 0 ? '' : new Date(timeMs).toISOString().slice(0, 10);
}
