/**
 * Which session counts an API message that several sessions hold. Forks and resumes copy lines, with the same ids and
 * times, into a file of their own; each message must be counted once over all sessions.
 * The sums over all sessions never depend on this choice; which session shows the cost does.
 */
export interface SharedMessage {
  readonly sessionId: string;
  readonly ordinal: number;
  /** The same in every copy. */
  readonly id: string;
  /** Sub-agents stand after the main conversation, whatever the time: they say nothing about how it went on. */
  readonly isMainThread: boolean;
  readonly usageKey: string | null;
  readonly timestampMs: number | null;
  /** The line itself says that it comes from another session. */
  readonly isInherited: boolean;
}

/**
 * The owner of each key that more than one session holds. A line that says where it comes from loses to one that does
 * not. Else two sessions are compared by how soon their own conversation went on after the part they share: the
 * original goes on in seconds, a copy when somebody comes back to it. Who wins most comparisons is the owner; ties go to
 * the smaller id, so that the order in which sessions were imported changes nothing.
 */
export function chooseOwners(messages: readonly SharedMessage[]): ReadonlyMap<string, string> {
  const compare = createComparison(messages);
  const withUsage = messages.filter(({ usageKey }) => usageKey !== null);
  const owners = new Map<string, string>();
  for (const [key, held] of Map.groupBy(withUsage, ({ usageKey }) => usageKey as string)) {
    const copies = Map.groupBy(held, ({ sessionId }) => sessionId);
    const holders = new Map([...copies].map(([id, own]) => [id, own.every(({ isInherited }) => isInherited)]));
    if (holders.size > 1) owners.set(key, winner(holders, compare));
  }
  return owners;
}

type Comparison = (a: string, b: string) => number;

function winner(holders: ReadonlyMap<string, boolean>, compare: Comparison): string {
  const ids = [...holders.keys()].toSorted();
  const beats = (a: string, b: string) => {
    const inherited = Number(holders.get(a)) - Number(holders.get(b));
    return inherited === 0 ? compare(a, b) < 0 : inherited < 0;
  };
  const wins = (id: string) => ids.filter((other) => other !== id && beats(id, other)).length;
  return ids.reduce((best, id) => (wins(id) > wins(best) ? id : best));
}

function createComparison(messages: readonly SharedMessage[]): Comparison {
  const threads = new Map(
    [...Map.groupBy(messages, ({ sessionId }) => sessionId)].map(([id, own]) => [id, mainThread(own)]),
  );
  const ids = new Map([...threads].map(([session, thread]) => [session, new Set(thread.map(({ id }) => id))]));
  const known = new Map<string, number>();
  const gap = (a: string, b: string) => {
    const key = JSON.stringify([a, b]);
    const value = known.get(key) ?? continuationGap(threads.get(a) ?? [], ids.get(b) ?? new Set());
    known.set(key, value);
    return value;
  };
  return (a, b) => {
    const [mine, theirs] = [gap(a, b), gap(b, a)];
    return mine < theirs ? -1 : mine > theirs ? 1 : 0;
  };
}

function mainThread(messages: readonly SharedMessage[]): SharedMessage[] {
  return messages.filter(({ isMainThread }) => isMainThread).toSorted((a, b) => a.ordinal - b.ordinal);
}

/** Milliseconds from the last shared message to the next one; 0 when nothing follows, infinite when time runs back. */
function continuationGap(thread: readonly SharedMessage[], shared: ReadonlySet<string>): number {
  const last = thread.findLastIndex(({ id }) => shared.has(id));
  const from = thread[last]?.timestampMs ?? null;
  const next = thread.slice(last + 1).find(({ timestampMs }) => timestampMs !== null)?.timestampMs ?? null;
  if (from === null || next === null) return 0;
  return next >= from ? next - from : Number.POSITIVE_INFINITY;
}
