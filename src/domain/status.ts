import { createCalendar } from './calendar.ts';
import { SLOT_MS } from './usage.ts';
import type { UsageSum } from './usage-sum.ts';

/** What is going on now: sessions that run, and what was used today. */
export interface StatusFigures {
  readonly live: LiveNow;
  readonly today: TodayUsage;
}

export interface LiveNow {
  readonly count: number;
  /** The newest few of them. */
  readonly sessions: readonly { readonly id: string; readonly title: string | null }[];
}

/** Of what is stored: a session that was not imported yet is not in it. */
export interface TodayUsage extends UsageSum {
  readonly day: string;
  /** Whose day it is: that of the machine that answers. */
  readonly timezone: string;
}

/** The local day at a time, and the quarters of an hour that belong to it: `from` is in it, `to` is not. */
export function localDay(
  now: Date,
  timezone: string,
): { readonly day: string; readonly from: number; readonly to: number } {
  const { dayOf, firstSlotOf, firstSlotAfter } = createCalendar(timezone);
  const day = dayOf(Math.floor(now.getTime() / SLOT_MS));
  return { day, from: firstSlotOf(day), to: firstSlotAfter(day) };
}
