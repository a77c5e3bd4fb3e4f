import type { aroundEndpoints } from '../../api/around.ts';
import type { Handlers } from '../route.ts';

export const aroundHandlers: Handlers<typeof aroundEndpoints> = {
  'GET /timeline': ({ query }, { reads }) => reads.timeline(query),
  'GET /events': ({ query }, { reads }) => reads.listAllEvents(query),
  'GET /workspaces': ({ query }, { reads }) => reads.listWorkspaces(query),
  'GET /workspaces/:workspace_id': ({ params }, { reads }) => reads.getWorkspace(params.workspace_id),
  'GET /devices': async (_, { reads }) => ({ devices: await reads.listDevices() }),
  'GET /devices/:device_id': ({ params }, { reads }) => reads.getDevice(params.device_id),
  'GET /teams': ({ query }, { reads }) => reads.listTeams(query),
  'GET /drift': (_, { reads }) => reads.drift(),
};
