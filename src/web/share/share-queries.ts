import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { CLIENTS } from '../api/client.ts';

const client = CLIENTS['/api'];
const sharesKey = (id: string) => ['/api', 'shares', id] as const;

/** Preview of the shared content, fetched again whenever the dialog is opened. */
export function useSharePreview(id: string) {
  return useQuery({
    queryKey: ['/api', 'share-preview', id],
    queryFn: ({ signal }) => client.get('/sessions/:id/shares/preview', { params: { id }, signal }),
    refetchOnWindowFocus: false,
    gcTime: 0,
  });
}

export function useShares(id: string) {
  return useQuery({
    queryKey: sharesKey(id),
    queryFn: async ({ signal }) => (await client.get('/sessions/:id/shares', { params: { id }, signal })).shares,
  });
}

export function useMakeShare(id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (expiresInSeconds: number) =>
      client.post('/sessions/:id/shares', { params: { id }, body: { expires_in: expiresInSeconds } }),
    onSettled: () => queries.invalidateQueries({ queryKey: sharesKey(id) }),
  });
}

export function useRevokeShare(id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (share_id: string) => client.delete('/shares/:share_id', { params: { share_id } }),
    onSettled: () => queries.invalidateQueries({ queryKey: sharesKey(id) }),
  });
}

/** Downloads the same page as a file under the name given by the server. */
export function useSavePage(id: string) {
  return useMutation({
    mutationFn: async (fileName: string) => {
      const response = await client.get('/sessions/:id/export', {
        params: { id },
        query: { format: 'html', images: false },
      });
      const address = URL.createObjectURL(await response.blob());
      const link = Object.assign(document.createElement('a'), { href: address, download: fileName });
      link.click();
      URL.revokeObjectURL(address);
    },
  });
}
