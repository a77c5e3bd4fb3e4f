import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { SearchAnswer } from '../../domain/search.ts';
import type { SessionDetail, SessionPage, StatusReport, TranscriptPage } from '../../domain/query.ts';
import { type ApiBase, apiGet, apiPost } from './client.ts';

const PAGE_ROWS = 200;
const SEARCH_SESSIONS = 40;
const POLL_MS = 1_000;

export function isBusy(status: StatusReport | undefined): boolean {
  return status !== undefined && status.import.phase !== 'idle' && status.import.phase !== 'failed';
}

/** Asks each second while something is under way, and otherwise only when the tab gets the focus again. */
export function useStatus(base: ApiBase) {
  return useQuery({
    queryKey: [base, 'status'],
    queryFn: ({ signal }) => apiGet<StatusReport>(`${base}/status`, signal),
    refetchInterval: (query) => (isBusy(query.state.data) ? POLL_MS : false),
    refetchOnWindowFocus: 'always',
  });
}

const LIST_REFRESH_MS = 2_000;

/** While an import runs the list grows and is asked for again. */
export function useSessions(base: ApiBase, isGrowing: boolean) {
  return useInfiniteQuery({
    queryKey: [base, 'sessions'],
    queryFn: ({ pageParam, signal }) => {
      const cursor = pageParam === null ? '' : `&cursor=${encodeURIComponent(pageParam)}`;
      return apiGet<SessionPage>(`${base}/sessions?limit=${PAGE_ROWS}${cursor}`, signal);
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: isGrowing ? LIST_REFRESH_MS : false,
  });
}

export function useSession(base: ApiBase, id: string) {
  return useQuery({
    queryKey: [base, 'session', id],
    queryFn: ({ signal }) => apiGet<SessionDetail>(`${base}/sessions/${encodeURIComponent(id)}`, signal),
  });
}

/** Pages are large and never edited: compared by identity, and dropped soon after the session is left. */
export function useTranscript(base: ApiBase, id: string) {
  return useInfiniteQuery({
    queryKey: [base, 'transcript', id],
    queryFn: ({ pageParam, signal }) => {
      const after = pageParam === null ? '' : `&after=${pageParam}`;
      const path = `${base}/sessions/${encodeURIComponent(id)}/transcript?limit=${PAGE_ROWS}${after}`;
      return apiGet<TranscriptPage>(path, signal);
    },
    initialPageParam: null as number | null,
    getNextPageParam: (page) => page.next_after,
    structuralSharing: false,
    refetchOnWindowFocus: false,
    gcTime: 60_000,
  });
}

export function useSearch(base: ApiBase, text: string) {
  return useQuery({
    queryKey: [base, 'search', text],
    queryFn: ({ signal }) =>
      apiGet<SearchAnswer>(`${base}/search?q=${encodeURIComponent(text)}&limit=${SEARCH_SESSIONS}`, signal),
    enabled: text.trim() !== '',
    placeholderData: keepPreviousData,
  });
}

/** Loading the demo is asked for again after a reload of the page; the server does it once. */
export function useDemo(isWanted: boolean) {
  return useQuery({
    queryKey: ['demo'],
    queryFn: () => apiPost<{ readonly ok: true }>('/api/demo'),
    enabled: isWanted,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
}
