import { indexThrough, type LineDeps, type LineWork, workOnNext } from './work-on-next.ts';
import type { WorkResult } from './work-on-session.ts';

/** Somebody who works on sessions, with a store of his own; claims keep several of them apart. */
export interface Hand {
  /** This work on this session; null when there is nothing to do, or the program is to end. */
  one(work: LineWork, sessionId: string): Promise<WorkResult | null>;
  /** Full text of every session that lacks it: an index is written for many at once. */
  index(tell: (result: WorkResult) => void): Promise<void>;
}

/** All hands of a run. */
export interface Crew extends Hand {
  readonly size: number;
}

/** This thread. */
export function handOf(deps: LineDeps & { readonly limit?: number }): Hand {
  return {
    one: async (work, sessionId) => (deps.signal.aborted ? null : workOnNext(deps, work, sessionId)),
    index: (tell) => indexThrough(deps, tell),
  };
}

/** A session is for whoever is free first; the index is for everybody. */
export function crewOf(hands: readonly Hand[]): Crew {
  const free = [...hands];
  const waiting: ((hand: Hand) => void)[] = [];
  const take = () => {
    const hand = free.shift();
    return hand ?? new Promise<Hand>((resolve) => waiting.push(resolve));
  };
  const giveBack = (hand: Hand) => {
    const next = waiting.shift();
    if (next === undefined) free.push(hand);
    else next(hand);
  };
  return {
    size: hands.length,
    one: async (work, sessionId) => {
      const hand = await take();
      try {
        return await hand.one(work, sessionId);
      } finally {
        giveBack(hand);
      }
    },
    index: async (tell) => {
      await Promise.all(hands.map((hand) => hand.index(tell)));
    },
  };
}
