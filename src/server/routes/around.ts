import type { aroundEndpoints } from '../../api/around.ts';
import type { Handlers } from '../route.ts';

export const aroundHandlers: Handlers<typeof aroundEndpoints> = {
  'GET /timeline': ({ query: { workspace_id, device_id, ...rest } }, { reads }) =>
    reads.timeline({ ...rest, workspaceId: workspace_id, deviceId: device_id }),
  'GET /events': ({ query: { workspace_id, device_id, ...rest } }, { reads }) =>
    reads.listAllEvents({ ...rest, workspaceId: workspace_id, deviceId: device_id }),
  'GET /workspaces': ({ query: { all, ...page } }, { reads }) => reads.listWorkspaces({ ...page, isAll: all }),
  'GET /workspaces/:workspace_id': ({ params }, { reads }) => reads.getWorkspace(params.workspace_id),
  'GET /devices': async (_, { reads }) => ({ devices: await reads.listDevices() }),
  'GET /devices/:device_id': ({ params }, { reads }) => reads.getDevice(params.device_id),
  'GET /teams': ({ query }, { reads }) => reads.listTeams(query),
  'GET /drift': (_, { reads }) => reads.drift(),
};
