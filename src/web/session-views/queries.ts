import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ApiBase } from '../../client/client.ts';
import { CLIENTS } from '../api/client.ts';

const ONCE = { refetchOnWindowFocus: false, placeholderData: keepPreviousData } as const;

/** Sessions that this one comes from, or that come from it. */
export function useRelatives(base: ApiBase, id: string) {
  return useQuery({
    ...ONCE,
    queryKey: [base, 'relatives', id],
    queryFn: async ({ signal }) => {
      const { relatives } = await CLIENTS[base].get('/sessions/:id/relatives', { params: { id }, signal });
      return relatives;
    },
  });
}

/** Positions of the messages that the model saw at a message; nothing while no message is chosen. */
export function useMessagePath(base: ApiBase, id: string, messageId: string | null, revision: string) {
  return useQuery({
    queryKey: [base, 'path', id, messageId, revision],
    queryFn: async ({ signal }) => {
      const params = { id, message_id: messageId ?? '' };
      return (await CLIENTS[base].get('/sessions/:id/messages/:message_id/path', { params, signal })).ordinals;
    },
    enabled: messageId !== null,
    refetchOnWindowFocus: false,
    structuralSharing: false,
  });
}

/** `agentId` is '' for the main conversation. */
export function useContextOf(base: ApiBase, id: string, agentId: string, revision: string) {
  return useQuery({
    ...ONCE,
    queryKey: [base, 'context', id, agentId, revision],
    queryFn: ({ signal }) =>
      CLIENTS[base].get('/sessions/:id/context', {
        params: { id },
        query: agentId === '' ? {} : { agent_id: agentId },
        signal,
      }),
    structuralSharing: false,
  });
}

export function useCompactionDiff(base: ApiBase, id: string, compactionId: string) {
  return useQuery({
    queryKey: [base, 'compaction', id, compactionId],
    queryFn: ({ signal }) =>
      CLIENTS[base].get('/sessions/:id/compactions/:compaction_id/diff', {
        params: { id, compaction_id: compactionId },
        signal,
      }),
    refetchOnWindowFocus: false,
  });
}

export function useWaterfall(base: ApiBase, id: string, revision: string) {
  return useQuery({
    ...ONCE,
    queryKey: [base, 'waterfall', id, revision],
    queryFn: ({ signal }) => CLIENTS[base].get('/sessions/:id/waterfall', { params: { id }, signal }),
    structuralSharing: false,
  });
}

export function useSessionCosts(base: ApiBase, id: string, revision: string) {
  return useQuery({
    ...ONCE,
    queryKey: [base, 'costs', id, revision],
    queryFn: ({ signal }) => CLIENTS[base].get('/sessions/:id/costs', { params: { id }, signal }),
    structuralSharing: false,
  });
}
