import type { shareEndpoints } from '../../api/shares.ts';
import type { Handlers } from '../route.ts';
import { originOf } from '../security.ts';
import { withSlot } from '../upload-slots.ts';

const SECOND_MS = 1_000;

export const shareHandlers: Handlers<typeof shareEndpoints> = {
  'GET /sessions/:id/shares/preview': ({ params }, { reads, exportSlots }) =>
    withSlot(exportSlots, () => reads.previewShare(params.id)),
  'POST /sessions/:id/shares': async ({ params, body, context }, { acts, exportSlots }) => {
    const { expires_in, note } = body;
    const wish = { expiresInMs: expires_in * SECOND_MS, ...(note === undefined ? {} : { note }) };
    const share = await withSlot(exportSlots, () => acts.share(params.id, wish));
    return { ...share, url: originOf(context) + share.path };
  },
  'GET /sessions/:id/shares': async ({ params }, { reads }) => ({ shares: await reads.listShares(params.id) }),
  'GET /shares': async (_, { reads }) => ({ shares: await reads.listShares() }),
  'DELETE /shares/:share_id': async ({ params }, { acts }) => {
    await acts.revokeShare(params.share_id);
    return { ok: true };
  },
};
