import { useMutation, useQueryClient } from '@tanstack/react-query';
import { plural } from '../../reading/format.ts';
import { CLIENTS } from '../api/client.ts';
import { showToast } from '../shell/toasts.ts';

const client = CLIENTS['/api'];

/** Brings deleted sessions back. */
export function useUndoDelete() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (ids: readonly string[]) => {
      for (const session_id of ids) await client.delete('/deletions/:session_id', { params: { session_id } });
    },
    onSuccess: (_, ids) => showToast(`${plural(ids.length, 'session')} brought back.`),
    onError: (error) => showToast(error.message),
    onSettled: () => queries.invalidateQueries(),
  });
}
