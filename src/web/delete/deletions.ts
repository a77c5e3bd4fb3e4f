import { useQuery } from '@tanstack/react-query';
import type { DeletedSession } from '../../api/deletions.ts';
import { formatDateTime } from '../../reading/format.ts';
import { CLIENTS } from '../api/client.ts';

const client = CLIENTS['/api'];

export function useDeletions() {
  return useQuery({
    queryKey: ['/api', 'deletions'],
    queryFn: ({ signal }) => client.get('/deletions', { signal }),
  });
}

export function deletionText({ state, deleted_at, purge_at, purged_at }: DeletedSession, now: Date): string {
  const deleted = `Deleted: ${formatDateTime(deleted_at, now)}`;
  if (state === 'restoring') return `${deleted} · Being brought back`;
  if (state === 'waiting') return `${deleted} · Undo until: ${formatDateTime(purge_at, now)}`;
  return `${deleted} · Removed: ${formatDateTime(purged_at ?? purge_at, now)}`;
}
