import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { FoundInSession } from '../../api/find.ts';
import type { Get } from '../../api/table.ts';
import type { ApiBase } from '../../client/client.ts';
import { indexOutline, type OutlineIndex } from '../../reading/rows/outline-index.ts';
import { readSubagents } from '../../reading/parts.ts';
import { CLIENTS } from '../api/client.ts';

export const outlineKey = (base: ApiBase, id: string) => [base, 'outline', id] as const;

/** Fetched once; a running session has it fetched again by live events. Kept as typed arrays, never compared. */
export function useOutline(base: ApiBase, id: string) {
  return useQuery<OutlineIndex>({
    queryKey: outlineKey(base, id),
    queryFn: async ({ signal }) =>
      indexOutline(await CLIENTS[base].get('/sessions/:id/outline', { params: { id }, signal })),
    structuralSharing: false,
    refetchOnWindowFocus: false,
    gcTime: 60_000,
  });
}

export function useSubagents(base: ApiBase, id: string, count: number) {
  return useQuery({
    queryKey: [base, 'subagents', id, count],
    queryFn: ({ signal }) => readSubagents(getWith(base, signal), id),
    enabled: count > 0,
    placeholderData: keepPreviousData,
    structuralSharing: false,
    refetchOnWindowFocus: false,
  });
}

/** Sessions that this one continues or that continue it. */
export function useLinks(base: ApiBase, id: string, isWanted: boolean) {
  return useQuery({
    queryKey: [base, 'links', id],
    queryFn: ({ signal }) => CLIENTS[base].get('/sessions/:id/links', { params: { id }, signal }),
    enabled: isWanted,
    refetchOnWindowFocus: false,
  });
}

export type FindHit = FoundInSession['hits'][number];

export function useFind(base: ApiBase, id: string, text: string) {
  return useQuery({
    queryKey: [base, 'find', id, text],
    queryFn: ({ signal }) => CLIENTS[base].get('/sessions/:id/find', { params: { id }, query: { q: text }, signal }),
    enabled: text.trim() !== '',
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
  });
}

function getWith(base: ApiBase, signal: AbortSignal): Get {
  const get = CLIENTS[base].get as (path: string, input: object) => Promise<unknown>;
  return ((path: string, input: object) => get(path, { ...input, signal })) as Get;
}
