import type { workEndpoints } from '../../api/work.ts';
import type { Handlers } from '../route.ts';

export const workHandlers: Handlers<typeof workEndpoints> = {
  'GET /tools': async ({ query }, { reads }) => ({ tools: await reads.toolStats(query) }),
  'GET /files': async ({ query }, { reads }) => ({ files: await reads.fileStats(query) }),
};
