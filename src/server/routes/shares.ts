import type { Handlers } from '../route.ts';
import { originOf } from '../security.ts';
import { withSlot } from '../upload-slots.ts';

export const shareHandlers = {
  'GET /sessions/:id/shares/preview': (input, { data, exportSlots }) =>
    withSlot(exportSlots, () => data.queries['GET /sessions/:id/shares/preview'](input)),
  'POST /sessions/:id/shares': async (input, { commands, exportSlots }) => {
    const share = await withSlot(exportSlots, () => commands['POST /sessions/:id/shares'](input));
    return { ...share, url: originOf(input.context) + share.path };
  },
} satisfies Partial<Handlers>;
