import type { z } from 'zod';
import type { sessionFilters } from '../api/sessions.ts';
import type { SessionQuery } from '../domain/query.ts';
import { NANOS_PER_DOLLAR } from '../domain/usage.ts';

type Filters = z.output<z.ZodObject<typeof sessionFilters>>;

const nanos = (dollars: number | undefined) =>
  dollars === undefined ? undefined : Math.round(dollars * NANOS_PER_DOLLAR);

/** Filters as they stand in an address, as the store asks. */
export function toSessionQuery(filters: Filters): SessionQuery {
  const { parse_status, workspace_id, device_id, ended_after, ended_before, min_cost, max_cost, ...same } = filters;
  return {
    ...same,
    parseStatus: parse_status,
    workspaceId: workspace_id,
    deviceId: device_id,
    endedAfter: ended_after,
    endedBefore: ended_before,
    minCostNanos: nanos(min_cost),
    maxCostNanos: nanos(max_cost),
  };
}
