import type { usageEndpoints } from '../../api/usage.ts';
import type { Handlers } from '../route.ts';

export const usageHandlers: Handlers<typeof usageEndpoints> = {
  'GET /usage': ({ query: { by = [], workspace_id, device_id, ...rest } }, { reads }) =>
    reads.usage({ ...rest, by, workspaceId: workspace_id, deviceId: device_id }),
};
