/**
 * Ids of search documents increase with the minute in which the session started, so that reading an index backwards
 * gives the newest first without sorting. 2^26 minutes from 2020 are 127 years; with 2^27 documents per minute the id
 * is still a safe integer.
 */
const FIRST_MINUTE = Date.UTC(2020, 0, 1) / 60_000;
const LAST_MINUTE = 2 ** 26 - 1;
export const IDS_A_MINUTE = 2 ** 27;

export const EVERY_ID = { from: 0, below: Number.MAX_SAFE_INTEGER } as const;

/** The first id of the sessions that started in the same minute. */
export function firstIdOf(time: string): number {
  const minute = Math.floor(Date.parse(time) / 60_000) - FIRST_MINUTE;
  return Math.min(Math.max(0, minute), LAST_MINUTE) * IDS_A_MINUTE;
}
