import type { PlaceKind } from '../domain/search.ts';
import type { Found } from './find-words.ts';
import { DAY_MS } from '../domain/durations.ts';

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

export interface Scorable {
  readonly kind: PlaceKind;
  readonly chars: number;
  readonly startedAt: string;
  /** Matches, one list per leaf. */
  readonly found: readonly (readonly Found[])[];
}

/** Weight of each leaf: matches that occur in few places weigh more. */
export function leafWeights(places: readonly Pick<Scorable, 'found'>[], leaves: number): number[] {
  return Array.from({ length: leaves }, (_, leaf) => {
    const having = places.reduce((count, { found }) => count + ((found[leaf]?.length ?? 0) > 0 ? 1 : 0), 0);
    return 1 + Math.log(places.length / Math.max(1, having));
  });
}

export function scoreOf(place: Scorable, weights: readonly number[], now: Date): number {
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
