import type { SearchAnswer } from '../api/search.ts';
import { toFuelError } from '../domain/errors.ts';
import type { Clock } from '../domain/ports.ts';
import {
  type PatternNode,
  type Place,
  type PlaceText,
  SEARCH_MS,
  type SearchIndex,
  type SearchNode,
  type TextNode,
} from '../domain/search.ts';
import { type Found, findWords, SearchedText } from './find-words.ts';
import { compilePattern } from './pattern.ts';

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
  let searchedTo = belowId;
  try {
    for await (const { found, to } of matchPlaces(index, node, judge, belowId)) {
      places.push(...found);
      if (places.length > MAX_PLACES) {
        places.length = MAX_PLACES;
        return end('places', places.at(-1)?.place.id ?? null);
      }
      searchedTo = to;
      if (to !== null && isTimeUp()) return end('time', to);
    }
    return end(null, null);
  } catch (error) {
    // Return the matches found before the database timed out; the next page continues from there.
    if (toFuelError(error).code === 'timeout' && searchedTo !== belowId) return end('time', searchedTo);
    throw error;
  }
}

/** Matches from newest to oldest, in batches; everything from `to` on was searched, and nothing is left if it is null. */
export async function* matchPlaces(index: SearchIndex, node: SearchNode, judge: Judge, belowId: number | null) {
  for await (const { batch, texts, to } of readCandidates(index, node, belowId))
    yield { found: batch.flatMap((place) => judgePlace(place, texts.get(place.id), judge.judge)), to };
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

/** Those of some places whose texts match. */
export async function judgePlaces(index: SearchIndex, judge: Judge, places: readonly Place[]): Promise<FoundPlace[]> {
  const texts = await index.readTexts(places);
  return places.flatMap((place) => judgePlace(place, texts.get(place.id), judge.judge));
}

function judgePlace(place: Place, stored: PlaceText | undefined, judge: Judge['judge']): FoundPlace[] {
  // The index may lag slightly behind the rows; deleted rows do not match.
  if (stored === undefined) return [];
  const { text } = stored;
  const found = judge(text, place.fields);
  return found === null ? [] : [{ place, stored, text, found }];
}

/** Further matches in the same place add nothing to the score. */
const MAX_FOUND = 20;

type Leaf = (searched: SearchedText) => Found[];

interface Evidence {
  readonly fields: readonly boolean[];
  found(leaf: number): Found[];
}
type Verdict = (evidence: Evidence) => boolean;

interface Judge {
  /** Number of words, phrases and patterns that can match a text. */
  readonly leaves: number;
  /**
   * Matches in the text, one list per leaf; null if the text does not match. `fields` are the results from the store.
   */
  judge(text: string, fields: readonly boolean[]): readonly (readonly Found[])[] | null;
  /** The same lists for any text, whether it matches or not. */
  find(text: string): readonly (readonly Found[])[];
}

/** Decides whether a text matches, based on the text itself; the index only finds candidates. */
export function createJudge(node: SearchNode): Judge {
  const plan: Plan = { leaves: [], wanted: [], fields: 0 };
  const verdict = compile(node, plan, true);
  return {
    leaves: plan.wanted.length,
    judge: (text, fields) => {
      const searched = new SearchedText(text);
      const known = new Map<number, Found[]>();
      const found = (leaf: number): Found[] => {
        const list = known.get(leaf) ?? plan.leaves[leaf]?.(searched) ?? [];
        known.set(leaf, list);
        return list;
      };
      return verdict({ fields, found }) ? plan.wanted.map(found) : null;
    },
    find: (text) => {
      const searched = new SearchedText(text);
      return plan.wanted.map((leaf) => plan.leaves[leaf]?.(searched) ?? []);
    },
  };
}

interface Plan {
  readonly leaves: Leaf[];
  /** Leaves that are not negated. */
  readonly wanted: number[];
  fields: number;
}

function compile(node: SearchNode, plan: Plan, isWanted: boolean): Verdict {
  if (node.kind === 'field') {
    const at = plan.fields++;
    return ({ fields }) => fields[at] === true;
  }
  if (node.kind === 'not') {
    const inner = compile(node.node, plan, !isWanted);
    return (evidence) => !inner(evidence);
  }
  if (node.kind === 'all' || node.kind === 'any') {
    const inner = node.nodes.map((item) => compile(item, plan, isWanted));
    if (node.kind === 'all') return (evidence) => inner.every((verdict) => verdict(evidence));
    return (evidence) => inner.some((verdict) => verdict(evidence));
  }
  const leaf = plan.leaves.push(leafOf(node)) - 1;
  if (isWanted) plan.wanted.push(leaf);
  return ({ found }) => found(leaf).length > 0;
}

function leafOf(node: TextNode | PatternNode): Leaf {
  if (node.kind === 'text') return (searched) => findWords(searched, node, MAX_FOUND);
  const find = compilePattern(node);
  return ({ text }) => find(text, MAX_FOUND).map((span) => ({ ...span, isWhole: true }));
}
