import type { SearchHit, SearchTerm, SessionHits, SessionHitsQuery } from '../api/search.ts';
import { toFuelError } from '../domain/errors.ts';
import type { Clock } from '../domain/ports.ts';
import { SEARCH_MS, type SearchIndex, type SearchNode } from '../domain/search.ts';
import { type HitOptions, toHits } from './hits.ts';
import { createJudge, type FoundPlace, matchPlaces } from './match-places.ts';
import { hasText, parseQuery } from './parse-query.ts';
import { blockOf, byPosition } from './rank-sessions.ts';
import { asksForPlaces, readPlaces } from './search-sessions.ts';

/** Places held in memory at once, with their texts. */
const MAX_PLACES = 2_000;

interface Collected {
  readonly places: readonly FoundPlace[];
  readonly isComplete: boolean;
}

/** All matches of a search in one session, in the order of the session. The index is that of the session. */
export async function findSessionHits(
  index: SearchIndex,
  sessionId: string,
  question: SessionHitsQuery,
  clock: Clock,
  options: HitOptions,
): Promise<SessionHits> {
  const node = await index.resolveNames(parseQuery(question.q, { now: clock.now(), zone: question.zone }));
  const { places, isComplete } = await collect(index, node, sessionId, clock);
  const shown = [...Map.groupBy(places.toSorted(byPosition), blockOf).values()].flatMap(([first]) => first ?? []);
  const listed = shown.slice(0, question.limit);
  const hits: SearchHit[] = [];
  for (let at = 0; at < listed.length; at += HITS_AT_ONCE) {
    const some = listed.slice(at, at + HITS_AT_ONCE);
    hits.push(...(await toHits(index, node, some, { ...options, hasLines: question.lines ?? false })));
  }
  return { query: question.q, terms: termsOf(node), hits, total: shown.length, is_complete: isComplete };
}

const HITS_AT_ONCE = 500;

async function collect(index: SearchIndex, node: SearchNode, sessionId: string, clock: Clock): Promise<Collected> {
  if (!hasText(node)) {
    const found = asksForPlaces(node) ? (await readPlaces(index, node, [sessionId])).get(sessionId) : undefined;
    return { places: found?.places ?? [], isComplete: (found?.count ?? 0) <= (found?.places.length ?? 0) };
  }
  const endMs = clock.monotonicMs() + SEARCH_MS;
  const places: FoundPlace[] = [];
  try {
    for await (const { found, to } of matchPlaces(index, node, createJudge(node), null)) {
      places.push(...found);
      const isOver = places.length > MAX_PLACES || clock.monotonicMs() > endMs;
      if (to !== null && isOver) return { places, isComplete: false };
    }
    return { places, isComplete: true };
  } catch (error) {
    if (toFuelError(error).code === 'timeout' && places.length > 0) return { places, isComplete: false };
    throw error;
  }
}

/** The words and patterns that a match contains. */
function termsOf(node: SearchNode): SearchTerm[] {
  switch (node.kind) {
    case 'all':
    case 'any':
      return node.nodes.flatMap(termsOf);
    case 'text':
      return [{ kind: 'text', words: node.words, is_prefix: node.isPrefix }];
    case 'pattern': {
      const { source, isRegex, isCaseSensitive } = node;
      return [{ kind: 'pattern', source, is_regex: isRegex, is_case_sensitive: isCaseSensitive }];
    }
    default:
      return [];
  }
}
