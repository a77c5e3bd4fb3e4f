import type { SearchSort } from '../api/search.ts';
import { DAY_MS } from '../domain/durations.ts';
import type { FoundSessionFacts, PlaceKind, SearchIndex } from '../domain/search.ts';
import type { Found } from './find-words.ts';
import type { CollectedPlaces, FoundPlace } from './match-places.ts';

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
  { now, sort }: { readonly now: Date; readonly sort: SearchSort },
): Promise<{ readonly sessions: readonly RankedSession[]; readonly places: number }> {
  const bySession = Map.groupBy(places, ({ place }) => place.sessionId);
  const facts = await index.readSessions([...bySession.keys()]);
  const weights = leafWeights(places, leaves);
  const sessions = [...bySession].flatMap(([id, found]) => {
    const session = facts.get(id);
    if (session === undefined) return [];
    const ranked = rank(session, found, weights, now);
    return [sort === 'time' ? { ...ranked, score: 0 } : ranked];
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
export function blockOf({ place }: Pick<FoundPlace, 'place'>): string {
  return `${place.kind}\n${place.messageId}\n${place.blockOrder}`;
}

function byPlaceScore(a: ScoredPlace, b: ScoredPlace): number {
  return b.score - a.score || byPosition(a, b);
}

/** Matches in texts of the whole session come first. */
export function byPosition(a: FoundPlace, b: FoundPlace): number {
  return (
    (a.stored.ordinal ?? -1) - (b.stored.ordinal ?? -1) ||
    a.place.blockOrder - b.place.blockOrder ||
    a.place.part - b.place.part ||
    a.place.id - b.place.id
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

/** Ranking is computed here instead of by an engine, so that both engines return the same order. */
const KIND_WEIGHTS: Readonly<Record<PlaceKind, number>> = {
  title: 3,
  note: 2.5,
  summary: 2,
  prompt: 1.6,
  answer: 1.3,
  input: 1,
  document: 1,
  thinking: 0.8,
  output: 0.7,
  context: 0.5,
};
const PART_WEIGHT = 0.5;
const USUAL_CHARS = 2_000;
const MAX_LENGTH_RATIO = 4;
const HALF_AS_FRESH_DAYS = 30;
const FRESHNESS_WEIGHT = 0.5;

interface Scorable {
  readonly kind: PlaceKind;
  readonly chars: number;
  readonly startedAt: string;
  /** Matches, one list per leaf. */
  readonly found: readonly (readonly Found[])[];
}

/** Weight of each leaf: matches that occur in few places weigh more. */
function leafWeights(places: readonly Pick<Scorable, 'found'>[], leaves: number): number[] {
  return Array.from({ length: leaves }, (_, leaf) => {
    const having = places.reduce((count, { found }) => count + ((found[leaf]?.length ?? 0) > 0 ? 1 : 0), 0);
    return 1 + Math.log(places.length / Math.max(1, having));
  });
}

function scoreOf(place: Scorable, weights: readonly number[], now: Date): number {
  const length = 0.5 + 0.5 * Math.min(place.chars / USUAL_CHARS, MAX_LENGTH_RATIO);
  const text = place.found.reduce((sum, list, leaf) => {
    const count = list.reduce((total, { isWhole }) => total + (isWhole ? 1 : PART_WEIGHT), 0);
    return sum + ((weights[leaf] ?? 1) * count) / (count + length);
  }, 0);
  const days = Math.max(0, now.getTime() - Date.parse(place.startedAt)) / DAY_MS;
  const freshness = 1 + FRESHNESS_WEIGHT / (1 + days / HALF_AS_FRESH_DAYS);
  // A search without words is ranked by kind and recency alone.
  return KIND_WEIGHTS[place.kind] * (place.found.length === 0 ? 1 : text) * freshness;
}
