import type { SearchAnswer } from '../api/search.ts';
import { toFuelError } from '../domain/errors.ts';
import type { Clock } from '../domain/ports.ts';
import { type Place, type PlaceText, SEARCH_MS, type SearchIndex, type SearchNode } from '../domain/search.ts';
import type { Found } from './find-words.ts';
import { createJudge, type Judge } from './judge.ts';

/** Maximum number of places ranked against each other; for a common word, the newest ones. */
const MAX_PLACES = 400;
/** Fetches one more than can be ranked, to know whether there are older ones. */
const CANDIDATES_AT_ONCE = MAX_PLACES + 1;
const TEXTS_AT_ONCE = Math.ceil(CANDIDATES_AT_ONCE / 4);

export interface FoundPlace {
  readonly place: Place;
  readonly stored: PlaceText;
  readonly text: string;
  readonly found: readonly (readonly Found[])[];
}

export interface CollectedPlaces {
  readonly places: readonly FoundPlace[];
  readonly leaves: number;
  readonly cut: SearchAnswer['cut'];
  /** The oldest place examined. */
  readonly lastId: number | null;
}

/**
 * Examines candidates from newest to oldest until there are enough matches, no more candidates, or no time left. The
 * stopping point depends only on the matches, not on how many other candidates an engine returns.
 */
export async function collectPlaces(
  index: SearchIndex,
  node: SearchNode,
  belowId: number | null,
  clock: Clock,
): Promise<CollectedPlaces> {
  const judge = createJudge(node);
  const startedMs = clock.monotonicMs();
  const isTimeUp = () => clock.monotonicMs() - startedMs > SEARCH_MS;
  const places: FoundPlace[] = [];
  const end = (cut: SearchAnswer['cut'], lastId: number | null) => ({ places, leaves: judge.leaves, cut, lastId });
  let lookedTo = belowId;
  try {
    for await (const { batch, texts, to } of readCandidates(index, node, belowId)) {
      for (const place of batch) places.push(...judgePlace(place, texts.get(place.id), judge.judge));
      if (places.length > MAX_PLACES) {
        places.length = MAX_PLACES;
        return end('places', places.at(-1)?.place.id ?? null);
      }
      lookedTo = to;
      if (to !== null && isTimeUp()) return end('time', to);
    }
    return end(null, null);
  } catch (error) {
    // Return the matches found before the database timed out; the next page continues from there.
    if (toFuelError(error).code === 'timeout' && lookedTo !== belowId) return end('time', lookedTo);
    throw error;
  }
}

/** Candidates with their texts, in batches; the next batch is below `to`, if there is one. */
async function* readCandidates(index: SearchIndex, node: SearchNode, belowId: number | null) {
  for (let below = belowId; ; ) {
    const { places, lookedTo } = await index.findPlaces(node, { belowId: below, limit: CANDIDATES_AT_ONCE });
    for (let at = 0; at === 0 || at < places.length; at += TEXTS_AT_ONCE) {
      const batch = places.slice(at, at + TEXTS_AT_ONCE);
      const isLast = at + TEXTS_AT_ONCE >= places.length;
      yield { batch, texts: await index.readTexts(batch), to: isLast ? lookedTo : (batch.at(-1)?.id ?? null) };
    }
    if (lookedTo === null) return;
    below = lookedTo;
  }
}

function judgePlace(place: Place, stored: PlaceText | undefined, judge: Judge['judge']): FoundPlace[] {
  // The index may lag slightly behind the rows; deleted rows do not match.
  if (stored === undefined) return [];
  const { text } = stored;
  const found = judge(text, place.fields);
  return found === null ? [] : [{ place, stored, text, found }];
}
