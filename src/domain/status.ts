import { createCalendar } from './calendar.ts';
import { SLOT_MS } from './usage.ts';

/** The local day at a time, and the quarters of an hour that belong to it: `from` is in it, `to` is not. */
export function localDay(
  now: Date,
  timezone: string,
): { readonly day: string; readonly from: number; readonly to: number } {
  const { dayOf, firstSlotOf, firstSlotAfter } = createCalendar(timezone);
  const day = dayOf(Math.floor(now.getTime() / SLOT_MS));
  return { day, from: firstSlotOf(day), to: firstSlotAfter(day) };
}
