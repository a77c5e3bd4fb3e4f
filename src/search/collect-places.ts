import type { Clock } from '../domain/ports.ts';
import type { Place, PlaceText, SearchCut, SearchIndex, SearchNode } from '../domain/search.ts';
import type { Found } from './find-words.ts';
import { createJudge, type Judge } from './judge.ts';
import { partOf, searchedText } from './place-text.ts';

/** Places that are ranked against each other; of a common word the newest. */
const MAX_PLACES = 400;
const TEXTS_AT_ONCE = 100;
/** A pattern has no index to help it: it reads as far as it comes in this time. */
const TIME_BUDGET_MS = 2_000;

export interface FoundPlace {
  readonly place: Place;
  readonly stored: PlaceText;
  readonly text: string;
  readonly found: readonly (readonly Found[])[];
}

export interface CollectedPlaces {
  readonly places: readonly FoundPlace[];
  readonly leaves: number;
  readonly cut: SearchCut | null;
  /** The oldest place that was looked at. */
  readonly lastId: number | null;
}

/** Looks through candidates from new to old until there are enough, or no more, or the time is up. */
export async function collectPlaces(
  index: SearchIndex,
  node: SearchNode,
  belowId: number | null,
  clock: Clock,
): Promise<CollectedPlaces> {
  const judge = createJudge(node);
  const startedMs = clock.monotonicMs();
  const places: FoundPlace[] = [];
  let lastId = belowId;
  const end = (cut: SearchCut | null) => ({ places, leaves: judge.leaves, cut, lastId });
  for (;;) {
    const candidates = await index.findPlaces(node, { belowId: lastId, limit: MAX_PLACES });
    for (let at = 0; at < candidates.length; at += TEXTS_AT_ONCE) {
      const batch = candidates.slice(at, at + TEXTS_AT_ONCE);
      const texts = await index.readTexts(batch);
      for (const place of batch) places.push(...judgePlace(place, texts.get(place.id), judge.judge));
      lastId = batch.at(-1)?.id ?? lastId;
      const isLast = candidates.length < MAX_PLACES && at + TEXTS_AT_ONCE >= candidates.length;
      if (!isLast && places.length >= MAX_PLACES) return end('places');
      if (!isLast && clock.monotonicMs() - startedMs > TIME_BUDGET_MS) return end('time');
    }
    if (candidates.length < MAX_PLACES) return end(null);
  }
}

function judgePlace(place: Place, stored: PlaceText | undefined, judge: Judge['judge']): FoundPlace[] {
  // The words may be a little behind the rows: what is no longer there is not found.
  if (stored === undefined) return [];
  const text = partOf(searchedText(stored), place.part);
  const found = judge(text, place.fields);
  return found === null ? [] : [{ place, stored, text, found }];
}
