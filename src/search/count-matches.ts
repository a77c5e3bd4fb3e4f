import type { SearchFacets } from '../api/search.ts';
import { toFuelError } from '../domain/errors.ts';
import type { Clock } from '../domain/ports.ts';
import { SEARCH_MS, type SearchIndex, type SearchNode } from '../domain/search.ts';
import { createJudge, matchPlaces } from './match-places.ts';
import { blockOf } from './rank-sessions.ts';

export interface CountedMatches extends Pick<SearchFacets, 'places' | 'types' | 'tools' | 'is_complete'> {
  readonly sessionIds: readonly string[];
}

/** The sessions are looked up by their ids in one statement, which both engines limit. */
const MAX_SESSIONS = 20_000;

/** Counts the matches of a search with words, newest first, until all are counted or time is up. */
export async function countMatches(index: SearchIndex, node: SearchNode, clock: Clock): Promise<CountedMatches> {
  const endMs = clock.monotonicMs() + SEARCH_MS;
  const seen = new Set<string>();
  const sessions = new Set<string>();
  const types = new Map<string, number>();
  const tools = new Map<string, number>();
  const end = (isComplete: boolean): CountedMatches => ({
    sessionIds: [...sessions],
    places: seen.size,
    types: inOrder(types),
    tools: inOrder(tools),
    is_complete: isComplete,
  });
  try {
    for await (const { found, to } of matchPlaces(index, node, createJudge(node), null)) {
      for (const { place, stored } of found) {
        const key = `${place.sessionId}\n${blockOf({ place })}`;
        if (seen.has(key)) continue;
        seen.add(key);
        sessions.add(place.sessionId);
        add(types, place.kind);
        if (stored.toolName !== null) add(tools, stored.toolName);
      }
      if (to !== null && (clock.monotonicMs() > endMs || sessions.size > MAX_SESSIONS)) return end(false);
    }
    return end(true);
  } catch (error) {
    if (toFuelError(error).code === 'timeout') return end(false);
    throw error;
  }
}

function add(counts: Map<string, number>, value: string): void {
  counts.set(value, (counts.get(value) ?? 0) + 1);
}

function inOrder(counts: ReadonlyMap<string, number>): SearchFacets['types'] {
  return [...counts]
    .toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .map(([value, places]) => ({ value, places }));
}
