import { useQuery } from '@tanstack/react-query';
import type { ApiBase } from '../../client/client.ts';
import type { StatusReport } from '../../api/server.ts';
import { localTimezone } from '../../domain/timezone.ts';
import { CLIENTS } from './client.ts';

/** Dates in a search are days in the reader's time zone. */
export const ZONE = localTimezone();

export function isBusy(status: StatusReport | undefined): boolean {
  return status !== undefined && status.import.phase !== 'idle' && status.import.phase !== 'failed';
}

/** Fetched once; changes arrive as live events. */
export function useStatus(base: ApiBase) {
  return useQuery({
    queryKey: [base, 'status'],
    queryFn: ({ signal }) => CLIENTS[base].get('/status', { signal }),
    refetchOnWindowFocus: 'always',
  });
}

export function useSession(base: ApiBase, id: string) {
  return useQuery({
    queryKey: [base, 'session', id],
    queryFn: ({ signal }) => CLIENTS[base].get('/sessions/:id', { params: { id }, signal }),
  });
}

/** Requested again after a page reload; the server loads the demo only once. */
export function useDemo(isWanted: boolean) {
  return useQuery({
    queryKey: ['demo'],
    queryFn: () => CLIENTS['/api'].post('/demo'),
    enabled: isWanted,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
}
