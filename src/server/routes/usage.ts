import type { usageEndpoints } from '../../api/usage.ts';
import { FuelError } from '../../domain/errors.ts';
import { MAX_REPORT_ROWS } from '../limits.ts';
import type { Handlers } from '../route.ts';

export const usageHandlers: Handlers<typeof usageEndpoints> = {
  'GET /usage': async ({ query }, { reads }) => ensureTellable(await reads.usage(query)),
  'GET /cost': async ({ query: { by, zone, since = null, until = null } }, { reads }) =>
    ensureTellable(await reads.cost({ by, timezone: zone, since, until })),
};

/** Errors: too_large. */
function ensureTellable<R extends { readonly rows: readonly unknown[] }>(report: R): R {
  if (report.rows.length <= MAX_REPORT_ROWS) return report;
  throw new FuelError('too_large', `That would be ${report.rows.length} rows; at most ${MAX_REPORT_ROWS} are told.`, {
    hint: 'Ask for a shorter time, or by fewer things.',
  });
}
