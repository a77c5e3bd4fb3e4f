import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { SessionPage } from '../../api/sessions.ts';
import type { ApiBase } from '../../client/client.ts';
import { toFilter, withoutFields } from '../../reading/query/terms.ts';
import type { ListSearch } from '../routing/place.ts';
import { mergeFirstPage } from '../../reading/list-rows.ts';
import { CLIENTS } from '../api/client.ts';
import { ZONE } from '../api/queries.ts';

const PAGE_ROWS = 200;
const STRIP_DAYS = 30;

/** The request of a list, as in its address. A list by workspace is also sorted by it. */
export function requestOf({ q = '', sort, order, group, all }: ListSearch) {
  const filter = toFilter(q);
  return {
    zone: ZONE,
    ...(filter === '' ? {} : { q: filter }),
    ...(all === true ? { all } : {}),
    ...(group === 'workspace' ? { sort: 'workspace' as const } : { sort, order }),
  };
}

/**
 * The list, page by page. News change the first page only: reading all loaded pages again for each of them would cost
 * as much as the whole list.
 */
export function useSessionList(base: ApiBase, search: ListSearch) {
  const request = requestOf(search);
  const key = JSON.stringify(request);
  const read = (cursor: string | undefined, signal: AbortSignal): Promise<SessionPage> =>
    CLIENTS[base].get('/sessions', { query: { fields: 'list', limit: PAGE_ROWS, cursor, ...request }, signal });
  const pages = useInfiniteQuery({
    queryKey: [base, 'list', key],
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    placeholderData: keepPreviousData,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    // The first page is read again by the query below.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  // Until the pages are those of this list, their first one must not become the first one of this list.
  const isOwn = pages.isSuccess && !pages.isPlaceholderData;
  const first = useQuery({
    queryKey: [base, 'sessions', 'first', isOwn ? key : null],
    queryFn: ({ signal }) => read(undefined, signal),
    enabled: isOwn,
    initialData: () => (isOwn ? pages.data.pages[0] : undefined),
    initialDataUpdatedAt: pages.dataUpdatedAt,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const loaded = pages.data?.pages;
  const newest = isOwn ? first.data : undefined;
  const isByTime = request.sort === undefined || request.sort === 'time';
  const sessions = useMemo(
    () =>
      mergeFirstPage(
        newest?.sessions,
        (loaded ?? []).map((page) => page.sessions),
        isByTime && search.order !== 'asc',
      ),
    [newest, loaded, isByTime, search.order],
  );
  return {
    sessions,
    hidden: (newest ?? loaded?.[0])?.hidden ?? 0,
    error: pages.error,
    isPending: pages.isPending,
    isOther: pages.isPlaceholderData,
    updatedAt: Math.max(first.dataUpdatedAt, pages.dataUpdatedAt),
    hasMore: pages.hasNextPage,
    loadMore: () => void (!pages.isFetchingNextPage && pages.fetchNextPage()),
  };
}

/** Counts of the main fields; asked for only while they are shown. */
export function useFacets(base: ApiBase, { q = '', all }: ListSearch, isShown: boolean) {
  const filter = toFilter(q);
  return useQuery({
    queryKey: [base, 'sessions', 'facets', filter, all === true],
    queryFn: ({ signal }) =>
      CLIENTS[base].get('/facets', {
        query: { zone: ZONE, ...(filter === '' ? {} : { q: filter }), ...(all === true ? { all } : {}) },
        signal,
      }),
    enabled: isShown,
    placeholderData: keepPreviousData,
    retry: false,
  });
}

/** The days of the strip, filtered by everything but the days themselves. */
export function useDays(base: ApiBase, { q = '', all }: ListSearch) {
  const filter = toFilter(withoutFields(q, ['after', 'before']));
  return useQuery({
    queryKey: [base, 'sessions', 'days', filter, all === true],
    queryFn: ({ signal }) =>
      CLIENTS[base].get('/session-days', {
        query: { days: STRIP_DAYS, zone: ZONE, ...(filter === '' ? {} : { q: filter }), ...(all ? { all } : {}) },
        signal,
      }),
    placeholderData: keepPreviousData,
    retry: false,
  });
}

export function useViews(base: ApiBase) {
  return useQuery({
    queryKey: [base, 'views'],
    queryFn: ({ signal }) => CLIENTS[base].get('/views', { signal }),
  });
}
