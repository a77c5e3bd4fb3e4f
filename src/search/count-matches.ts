import type { SearchFacets } from '../api/search.ts';
import { toFuelError } from '../domain/errors.ts';
import type { Clock } from '../domain/ports.ts';
import {
  type CountedPlaces,
  type Place,
  type PlaceCounts,
  SEARCH_MS,
  type SearchIndex,
  type SearchNode,
} from '../domain/search.ts';
import { createJudge, type FoundPlace, judgePlaces, matchPlaces } from './match-places.ts';
import { blockOf } from './rank-sessions.ts';

interface CountedMatches extends Pick<SearchFacets, 'places' | 'types' | 'tools' | 'is_complete'> {
  readonly sessionIds: readonly string[];
}

/** One statement looks up the sessions by id; both engines limit its parameters. */
const MAX_SESSIONS = 20_000;

/**
 * Counts the matches of a search with words, newest first, until all are counted or time is up. Most are counted by the
 * index; texts are read only where it cannot decide.
 */
export async function countMatches(index: SearchIndex, node: SearchNode, clock: Clock): Promise<CountedMatches> {
  const endMs = clock.monotonicMs() + SEARCH_MS;
  const tally = new Tally();
  const isOver = () => clock.monotonicMs() > endMs || tally.sessions.size > MAX_SESSIONS;
  try {
    const isComplete =
      (await countByIndex(index, node, tally, isOver)) ?? (await countTexts(index, node, tally, isOver));
    return tally.end(isComplete);
  } catch (error) {
    if (toFuelError(error).code === 'timeout') return tally.end(false);
    throw error;
  }
}

/** False when it was stopped before everything was counted; null when only texts can decide. */
async function countByIndex(
  index: SearchIndex,
  node: SearchNode,
  tally: Tally,
  isOver: () => boolean,
): Promise<boolean | null> {
  const judge = createJudge(node);
  for (let below: number | null = null; ; ) {
    const counts: PlaceCounts | null = await index.countPlaces(node, below);
    if (counts === null) return null;
    for (const group of counts.groups) tally.add(group, group.places);
    const parts = new Map(counts.groups.flatMap((group) => group.partIds.map((id) => [id, group.tool])));
    for await (const places of placesOf(index, node, [...parts.keys()])) {
      for (const place of places) tally.addPlace(place, parts.get(place.id) ?? null);
    }
    const doubtful = counts.groups.flatMap(({ doubtfulIds }) => doubtfulIds);
    for await (const places of placesOf(index, node, doubtful)) {
      if (isOver()) return false;
      tally.addFound(await judgePlaces(index, judge, places));
    }
    if (counts.countedTo === null) return true;
    if (isOver()) return false;
    below = counts.countedTo;
  }
}

/** Places held in memory at once, with their texts. */
const PLACES_AT_ONCE = 400;

async function* placesOf(index: SearchIndex, node: SearchNode, ids: readonly number[]) {
  for (let at = 0; at < ids.length; at += PLACES_AT_ONCE) {
    yield await index.listPlaces(node, ids.slice(at, at + PLACES_AT_ONCE));
  }
}

/** False when it was stopped before everything was counted. */
async function countTexts(index: SearchIndex, node: SearchNode, tally: Tally, isOver: () => boolean): Promise<boolean> {
  for await (const { found, to } of matchPlaces(index, node, createJudge(node), null)) {
    tally.addFound(found);
    if (to !== null && isOver()) return false;
  }
  return true;
}

class Tally {
  readonly sessions = new Set<string>();
  readonly #blocks = new Set<string>();
  readonly #types = new Map<string, number>();
  readonly #tools = new Map<string, number>();
  #places = 0;

  add({ sessionId, kind, tool }: Omit<CountedPlaces, 'places'>, places: number): void {
    if (places === 0) return;
    this.sessions.add(sessionId);
    this.#places += places;
    this.#types.set(kind, (this.#types.get(kind) ?? 0) + places);
    if (tool !== null) this.#tools.set(tool, (this.#tools.get(tool) ?? 0) + places);
  }

  /** The parts of a text count once. */
  addPlace(place: Place, tool: string | null): void {
    const block = `${place.sessionId}\n${blockOf({ place })}`;
    if (this.#blocks.has(block)) return;
    this.#blocks.add(block);
    this.add({ sessionId: place.sessionId, kind: place.kind, tool }, 1);
  }

  addFound(found: readonly FoundPlace[]): void {
    for (const { place, stored } of found) this.addPlace(place, stored.toolName);
  }

  end(isComplete: boolean): CountedMatches {
    return {
      sessionIds: [...this.sessions],
      places: this.#places,
      types: inOrder(this.#types),
      tools: inOrder(this.#tools),
      is_complete: isComplete,
    };
  }
}

function inOrder(counts: ReadonlyMap<string, number>): SearchFacets['types'] {
  return [...counts]
    .toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .map(([value, places]) => ({ value, places }));
}
