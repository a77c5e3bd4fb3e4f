import type { workEndpoints } from '../../api/work.ts';
import { toSessionQuery } from '../session-query.ts';
import type { Handlers } from '../route.ts';

export const workHandlers: Handlers<typeof workEndpoints> = {
  'GET /tools': async ({ query: { limit, session_id, ...filters } }, { reads }) => ({
    tools: await reads.toolStats({ ...toSessionQuery(filters), sessionId: session_id, limit }),
  }),
  'GET /files': async ({ query: { limit, session_id, path, ...filters } }, { reads }) => ({
    files: await reads.fileStats({ ...toSessionQuery(filters), sessionId: session_id, limit, path }),
  }),
};
