import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { SearchSort } from '../../api/search.ts';
import type { ApiBase } from '../../client/client.ts';
import { CLIENTS } from '../api/client.ts';
import { ZONE } from '../api/queries.ts';

const SESSIONS_A_PAGE = 20;

export function useSearch(base: ApiBase, text: string, sort: SearchSort) {
  return useInfiniteQuery({
    queryKey: [base, 'search', text, sort],
    queryFn: ({ pageParam, signal }) =>
      CLIENTS[base].get('/search', {
        query: { q: text, sort, lines: true, limit: SESSIONS_A_PAGE, zone: ZONE, cursor: pageParam },
        signal,
      }),
    enabled: text.trim() !== '',
    placeholderData: keepPreviousData,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    // A search would run again for all its pages.
    refetchOnWindowFocus: false,
    staleTime: 30_000,
    retry: false,
  });
}

export function useFacets(base: ApiBase, text: string) {
  return useQuery({
    queryKey: [base, 'search-facets', text],
    queryFn: ({ signal }) => CLIENTS[base].get('/search/facets', { query: { q: text, zone: ZONE }, signal }),
    enabled: text.trim() !== '',
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
    staleTime: 30_000,
    retry: false,
  });
}

/** Every match in one session. */
export function useHits(base: ApiBase, id: string, text: string, isWanted: boolean) {
  return useQuery({
    queryKey: [base, 'hits', id, text],
    queryFn: ({ signal }) =>
      CLIENTS[base].get('/sessions/:id/hits', {
        params: { id },
        query: { q: text, limit: 2_000, lines: true, zone: ZONE },
        signal,
      }),
    enabled: isWanted && text.trim() !== '',
    refetchOnWindowFocus: false,
    staleTime: 30_000,
    retry: false,
  });
}
