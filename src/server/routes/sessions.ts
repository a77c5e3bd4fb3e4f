import type { sessionEndpoints } from '../../api/sessions.ts';
import type { Handlers } from '../route.ts';

export const sessionHandlers: Handlers<typeof sessionEndpoints> = {
  'GET /sessions': ({ query }, { reads }) => reads.listSessions(query),
  'POST /sessions/batch-status': ({ body }, { reads }) => reads.batchStatus(body.session_ids),
  'GET /sessions/:id': ({ params }, { reads }) => reads.getSession(params.id),
  'GET /sessions/:id/events': ({ params, query }, { reads }) => reads.listEvents(params.id, query),
  'GET /sessions/:id/git': ({ params, query }, { reads }) => reads.listGit(params.id, query),
  'GET /sessions/:id/steps': async ({ params }, { reads }) => ({ steps: await reads.listSteps(params.id) }),
  'GET /sessions/:id/usage': ({ params }, { reads }) => reads.getUsage(params.id),
};
