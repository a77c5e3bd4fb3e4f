import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import type { FoundInSession } from '../../api/find.ts';
import type { ApiBase } from '../../client/client.ts';
import { growIndex } from '../../reading/rows/grow-index.ts';
import { indexOutline, type OutlineIndex } from '../../reading/rows/outline-index.ts';
import { CLIENTS } from '../api/client.ts';

export const outlineKey = (base: ApiBase, id: string) => [base, 'outline', id] as const;

/**
 * Fetched once; live events have it brought up to date with what is new. Kept as typed arrays, never compared.
 */
export function useOutline(base: ApiBase, id: string) {
  const queries = useQueryClient();
  const queryKey = outlineKey(base, id);
  return useQuery<OutlineIndex>({
    queryKey,
    queryFn: async ({ signal }) => {
      const known = queries.getQueryData<OutlineIndex>(queryKey);
      const read = (since?: string) =>
        CLIENTS[base].get('/sessions/:id/outline', { params: { id }, query: { since }, signal });
      const answer = await read(known?.revision);
      // An index must not be grown twice, so not for a request that is given up.
      signal.throwIfAborted();
      if (known !== undefined && answer.revision === known.revision) return known;
      const grown = known === undefined ? null : growIndex(known, answer);
      return grown ?? indexOutline(answer.since === null ? answer : await read());
    },
    structuralSharing: false,
    refetchOnWindowFocus: false,
    gcTime: 60_000,
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
