import type { SearchIndex, FoundSessionFacts } from '../domain/search.ts';
import type { CollectedPlaces, FoundPlace } from './collect-places.ts';
import { leafWeights, scoreOf } from './score.ts';

const HITS_A_SESSION = 3;
const MORE_PLACES_WEIGHT = 0.1;

interface ScoredPlace extends FoundPlace {
  readonly score: number;
}

export interface RankedSession {
  readonly facts: FoundSessionFacts;
  readonly score: number;
  readonly places: number;
  readonly best: readonly ScoredPlace[];
}

/** Sorts sessions by best place with a small bonus for more places, then by date, then by id to break ties. */
export async function rankSessions(
  index: SearchIndex,
  { places, leaves }: CollectedPlaces,
  now: Date,
): Promise<{ readonly sessions: readonly RankedSession[]; readonly places: number }> {
  const bySession = Map.groupBy(places, ({ place }) => place.sessionId);
  const facts = await index.readSessions([...bySession.keys()]);
  const weights = leafWeights(places, leaves);
  const sessions = [...bySession].flatMap(([id, found]) => {
    const session = facts.get(id);
    return session === undefined ? [] : [rank(session, found, weights, now)];
  });
  return {
    sessions: sessions.toSorted(byScore),
    places: sessions.reduce((sum, session) => sum + session.places, 0),
  };
}

export function rank(
  facts: FoundSessionFacts,
  found: readonly FoundPlace[],
  weights: readonly number[],
  now: Date,
): RankedSession {
  const scored = found
    .map((one) => ({
      ...one,
      score: scoreOf({ ...one.place, startedAt: facts.started_at, found: one.found }, weights, now),
    }))
    .toSorted(byPlaceScore);
  const places = [...Map.groupBy(scored, blockOf).values()].flatMap(([best]) => best ?? []);
  const score = (places[0]?.score ?? 0) * (1 + MORE_PLACES_WEIGHT * Math.log(places.length));
  return { facts, score, places: places.length, best: places.slice(0, HITS_A_SESSION) };
}

/** The parts of a long text count as one place. */
function blockOf({ place }: ScoredPlace): string {
  return `${place.kind}\n${place.messageId}\n${place.blockOrder}`;
}

function byPlaceScore(a: ScoredPlace, b: ScoredPlace): number {
  return (
    b.score - a.score ||
    (a.stored.ordinal ?? -1) - (b.stored.ordinal ?? -1) ||
    a.place.blockOrder - b.place.blockOrder ||
    a.place.part - b.place.part
  );
}

function byScore(a: RankedSession, b: RankedSession): number {
  return (
    b.score - a.score ||
    compare(b.facts.started_at, a.facts.started_at) ||
    compare(b.facts.session_id, a.facts.session_id)
  );
}

/** Compares by code units, as the databases order ids. */
function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
