import type { usageEndpoints } from '../../api/usage.ts';
import { FuelError } from '../../domain/errors.ts';
import { MAX_COST_ROWS } from '../limits.ts';
import type { Handlers } from '../route.ts';

export const usageHandlers: Handlers<typeof usageEndpoints> = {
  'GET /usage': ({ query: { by = [], workspace_id, device_id, ...rest } }, { reads }) =>
    reads.usage({ ...rest, by, workspaceId: workspace_id, deviceId: device_id }),
  'GET /cost': async ({ query: { by, zone, since = null, until = null } }, { reads }) => {
    const report = await reads.cost({ by, timezone: zone, since, until });
    if (report.rows.length <= MAX_COST_ROWS) return report;
    throw new FuelError('too_large', `That would be ${report.rows.length} rows; at most ${MAX_COST_ROWS} are told.`, {
      hint: 'Ask for a shorter time with since and until.',
    });
  },
};
