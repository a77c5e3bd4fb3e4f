import { useQuery } from '@tanstack/react-query';
import type { FoundSession, SearchHit } from '../../api/search.ts';
import { plainQuery } from '../../reading/query/plain-query.ts';
import { CLIENTS } from '../api/client.ts';
import { ZONE } from '../api/queries.ts';
import type { Realm } from '../routing/realm.ts';
import { useSettled } from '../use-settled.ts';

export interface FoundPlace {
  readonly session: FoundSession;
  readonly hit: SearchHit;
}

const MIN_CHARS = 3;
const PAUSE_MS = 200;
const MAX_SESSIONS = 4;
const MAX_PLACES = 6;

/** The best matches of what was typed or pasted, with the search that found them. */
export function useBestMatches(
  { base }: Realm,
  text: string,
): { readonly query: string; readonly places: readonly FoundPlace[] } {
  const query = plainQuery(useSettled(text, PAUSE_MS, ''));
  const isWanted = query.length >= MIN_CHARS;
  const { data } = useQuery({
    queryKey: [base, 'search', 'palette', query],
    queryFn: ({ signal }) =>
      CLIENTS[base].get('/search', { query: { q: query, limit: MAX_SESSIONS, zone: ZONE }, signal }),
    enabled: isWanted,
    refetchOnWindowFocus: false,
    // A search that cannot be read stays one.
    retry: false,
  });
  const sessions = isWanted ? (data?.sessions ?? []) : [];
  return { query, places: sessions.flatMap(placesOf).slice(0, MAX_PLACES) };
}

/** The matches of a session; those that would look the same, such as a file that is read again, once. */
function placesOf(session: FoundSession): readonly FoundPlace[] {
  const looks = session.hits.map(({ kind, tool_name, snippet }) => `${kind} ${tool_name} ${snippet}`);
  return session.hits.filter((_, at) => looks.indexOf(looks[at] ?? '') === at).map((hit) => ({ session, hit }));
}
