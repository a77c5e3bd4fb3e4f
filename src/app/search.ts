import type { SearchFacets, SearchFacetsQuery, SessionHits, SessionHitsQuery } from '../api/search.ts';
import type { Clock } from '../domain/ports.ts';
import { SEARCH_MS } from '../domain/search.ts';
import { summarizeInput } from '../reading/call-summary.ts';
import type { Redactor } from '../redact/redact.ts';
import { countMatches } from '../search/count-matches.ts';
import type { HitOptions } from '../search/hits.ts';
import { hasText, parseQuery } from '../search/parse-query.ts';
import { type SearchRequest, searchSessions } from '../search/search-sessions.ts';
import { findSessionHits } from '../search/session-hits.ts';
import type { Engine } from '../store/engine.ts';
import { createSearchIndex } from '../store/queries/search/search.ts';
import { readFacets } from '../store/queries/sessions/facets.ts';

/** Searches of the API, each within its time limit. */

interface Deps {
  readonly engine: Engine;
  readonly clock: Clock;
}

/** H14: reading the matches gets at least this long, even after the time limit. */
const MIN_SEARCH_MS = 500;

function timeLeft(clock: Clock): () => number {
  const endMs = clock.monotonicMs() + SEARCH_MS;
  return () => Math.max(MIN_SEARCH_MS, endMs - clock.monotonicMs());
}

const DESCRIBED = {
  describe: (tool: string | null, input: Parameters<typeof summarizeInput>[1]) => summarizeInput(tool, input, null),
};

export function search({ engine, clock }: Deps, query: SearchRequest, redactor: Redactor | null) {
  const redact = redactor === null ? undefined : redactWith(redactor);
  const index = createSearchIndex(engine, { leftMs: timeLeft(clock), all: query.all ?? false });
  return searchSessions(index, query, clock, { ...DESCRIBED, redact });
}

function redactWith(redactor: Redactor): NonNullable<HitOptions['redact']> {
  return { text: (text) => redactor.text(text).value, json: (value) => redactor.json(value).value };
}

export function findHits({ engine, clock }: Deps, sessionId: string, query: SessionHitsQuery): Promise<SessionHits> {
  const index = createSearchIndex(engine, {
    leftMs: timeLeft(clock),
    all: true,
    sessionId,
    placesASession: query.limit,
  });
  return findSessionHits(index, sessionId, query, clock, DESCRIBED);
}

/** Counts the matches of a search and the field values of their sessions. */
export async function countFacets({ engine, clock }: Deps, query: SearchFacetsQuery): Promise<SearchFacets> {
  const leftMs = timeLeft(clock);
  const all = query.all ?? false;
  const index = createSearchIndex(engine, { leftMs, all });
  const node = await index.resolveNames(parseQuery(query.q, { now: clock.now(), zone: query.zone }));
  if (!hasText(node)) {
    const report = await engine.within(leftMs(), (limited) => readFacets(limited, { where: node, all }));
    return { ...report, places: 0, types: [], tools: [], is_complete: true };
  }
  const { sessionIds, ...counted } = await countMatches(index, node, clock);
  const report = await engine.within(leftMs(), (limited) => readFacets(limited, { only: sessionIds }));
  return { ...report, ...counted };
}
