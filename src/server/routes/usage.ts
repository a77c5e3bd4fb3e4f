import { FuelError } from '../../domain/errors.ts';
import { MAX_REPORT_ROWS } from '../limits.ts';
import type { Handlers } from '../route.ts';

export const usageHandlers = {
  'GET /usage': async (input, { data }) => ensureShort(await data.queries['GET /usage'](input)),
  'GET /cost': async (input, { data }) => ensureShort(await data.queries['GET /cost'](input)),
} satisfies Partial<Handlers>;

/** Errors: too_large. */
function ensureShort<R extends { readonly rows: readonly unknown[] }>(report: R): R {
  if (report.rows.length <= MAX_REPORT_ROWS) return report;
  throw new FuelError('too_large', `That would be ${report.rows.length} rows; at most ${MAX_REPORT_ROWS} are told.`, {
    hint: 'Ask for a shorter time, or by fewer things.',
  });
}
