import type { sessionEndpoints } from '../../api/sessions.ts';
import { NANOS_PER_DOLLAR } from '../../domain/usage.ts';
import type { Handlers } from '../route.ts';

const nanos = (dollars: number | undefined) =>
  dollars === undefined ? undefined : Math.round(dollars * NANOS_PER_DOLLAR);

export const sessionHandlers: Handlers<typeof sessionEndpoints> = {
  'GET /sessions': ({ query }, { reads }) =>
    reads.listSessions({
      limit: query.limit,
      cursor: query.cursor,
      lifecycle: query.lifecycle,
      parseStatus: query.parse_status,
      workspaceId: query.workspace_id,
      deviceId: query.device_id,
      after: query.after,
      before: query.before,
      endedAfter: query.ended_after,
      endedBefore: query.ended_before,
      branch: query.branch,
      model: query.model,
      tag: query.tag,
      minCostNanos: nanos(query.min_cost),
      maxCostNanos: nanos(query.max_cost),
      has: query.has,
      is: query.is,
      title: query.title,
    }),
  'POST /sessions/batch-status': ({ body }, { reads }) => reads.batchStatus(body.session_ids),
  'GET /sessions/:id': ({ params }, { reads }) => reads.getSession(params.id),
  'GET /sessions/:id/events': ({ params, query }, { reads }) => reads.listEvents(params.id, query),
  'GET /sessions/:id/git': ({ params, query }, { reads }) => reads.listGit(params.id, query),
  'GET /sessions/:id/usage': ({ params }, { reads }) => reads.getUsage(params.id),
};
