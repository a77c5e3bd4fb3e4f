/**
 * Which session counts an API message that several sessions hold. Forks and resumes copy lines, with the same
 * message id and time, into a file of their own; each message must be counted once over all sessions.
 * The sums over all sessions never depend on this choice; which session shows the cost does.
 */
export interface SharedMessage {
  readonly sessionId: string;
  readonly ordinal: number;
  readonly usageKey: string | null;
  readonly timestampMs: number | null;
  /** The line itself says that it comes from another session. */
  readonly isInherited: boolean;
}

/**
 * The owner of each key that more than one session holds. A line that says where it comes from loses to one that does
 * not; else the session goes first whose own conversation went on soonest after the shared part, since the original
 * goes on in seconds and a copy when somebody comes back to it. Ties go to the smaller id, so that the order in which
 * sessions were imported changes nothing.
 */
export function chooseOwners(messages: readonly SharedMessage[]): ReadonlyMap<string, string> {
  const holders = Map.groupBy(
    messages.filter(({ usageKey }) => usageKey !== null),
    ({ usageKey }) => usageKey as string,
  );
  const shared = new Map([...holders].filter(([, held]) => new Set(held.map((m) => m.sessionId)).size > 1));
  const gaps = continuationGaps(messages, shared);
  const rank = (m: SharedMessage) => [m.isInherited ? 1 : 0, gaps.get(m.sessionId) ?? 0, m.sessionId] as const;
  return new Map([...shared].map(([key, held]) => [key, held.map(rank).toSorted(byRank)[0]?.[2] ?? '']));
}

function continuationGaps(
  messages: readonly SharedMessage[],
  shared: ReadonlyMap<string, unknown>,
): ReadonlyMap<string, number> {
  const sessions = Map.groupBy(messages, ({ sessionId }) => sessionId);
  return new Map([...sessions].map(([id, own]) => [id, continuationGap(own, shared)]));
}

/** Milliseconds from the last shared message to the next one; 0 when nothing follows, infinite when time runs back. */
function continuationGap(messages: readonly SharedMessage[], shared: ReadonlyMap<string, unknown>): number {
  const ordered = messages.toSorted((a, b) => a.ordinal - b.ordinal);
  const lastShared = ordered.findLastIndex(({ usageKey }) => usageKey !== null && shared.has(usageKey));
  const from = ordered[lastShared]?.timestampMs ?? null;
  const next = ordered.slice(lastShared + 1).find(({ timestampMs }) => timestampMs !== null)?.timestampMs ?? null;
  if (from === null || next === null) return 0;
  return next >= from ? next - from : Number.POSITIVE_INFINITY;
}

type Rank = readonly [number, number, string];

function byRank(a: Rank, b: Rank): number {
  return a[0] - b[0] || compare(a[1], b[1]) || compare(a[2], b[2]);
}

function compare<T extends number | string>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
