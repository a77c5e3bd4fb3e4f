import { z } from 'zod';
import { FuelError } from '../../domain/errors.ts';
import { complaintOf, pathText } from '../../lib/schema-complaint.ts';
import { makeBook, NANOS_PER_TOKEN_OF_ONE_DOLLAR, type PriceBook, type PriceRow, type Rates } from './book.ts';
import { ratesOf } from './rows.ts';

/** Keeps every product of tokens and rates within the safe integers; far above any real price. */
const MAX_USD_PER_MILLION = 1_000;
const MAX_FAST_MULTIPLIER = 100;
const MAX_SHOWN_FAULTS = 5;
const ROUNDING = 1e-6;

const usd = z
  .number({ error: 'must be a number of dollars per million tokens' })
  .min(0, 'must not be negative')
  .max(MAX_USD_PER_MILLION, `must not exceed ${MAX_USD_PER_MILLION} dollars per million tokens`)
  .refine((dollars) => Math.abs(nanosOf(dollars) - dollars * NANOS_PER_TOKEN_OF_ONE_DOLLAR) < ROUNDING, {
    error: 'must not be finer than a thousandth of a dollar per million tokens',
  });
const day = z.iso.date({ error: 'must be a day like "2026-11-15"' }).nullable().default(null);

const usdPerMillion = z
  .strictObject({
    input: usd,
    output: usd,
    cacheRead: usd.optional(),
    cacheWrite5m: usd.optional(),
    cacheWrite1h: usd.optional(),
  })
  .transform((dollars, context): Rates => {
    try {
      return toRates(dollars);
    } catch (error) {
      context.addIssue({ code: 'custom', message: `${(error as Error).message}; specify that rate too` });
      return z.NEVER;
    }
  });

const rowSchema = z
  .strictObject({
    models: z.array(z.string().min(1, 'must not be empty')).min(1, 'must name at least one model'),
    from: day,
    until: day,
    usdPerMillion,
    longContext: z
      .strictObject({ overInputTokens: z.int().positive('must be a number of tokens'), usdPerMillion })
      .nullable()
      .default(null),
    fastMultiplier: z.int('must be a whole number').min(1).max(MAX_FAST_MULTIPLIER).default(1),
    remark: z.string().nullable().default(null),
  })
  .refine((row) => row.from === null || row.until === null || row.from <= row.until, {
    error: 'must not be before "from"',
    path: ['until'],
  });

const fileSchema = z.strictObject({ prices: z.array(rowSchema, { error: 'must be a list of price rows' }) });

/**
 * Puts the user's rows in front of ours: they take precedence on the days they cover, under every name of the model.
 * Throws bad_config and names each invalid field.
 */
export function withOverrides(book: PriceBook, json: unknown, fileName = 'the price file'): PriceBook {
  const parsed = fileSchema.safeParse(json);
  if (!parsed.success) throw badFile(fileName, parsed.error.issues);
  const rows = parsed.data.prices.map((row): PriceRow => {
    const [first = ''] = row.models;
    return {
      id: `user:${first}${row.from === null ? '' : `@${row.from}`}`,
      models: row.models.flatMap((name) => otherNamesOf(book, name)),
      from: row.from,
      until: row.until,
      rates: row.usdPerMillion,
      longContext: row.longContext && {
        overInputTokens: row.longContext.overInputTokens,
        rates: row.longContext.usdPerMillion,
      },
      fastMultiplier: row.fastMultiplier,
      source: 'user',
      remark: row.remark,
    };
  });
  return makeBook(book.date, [...rows, ...book.rows]);
}

function otherNamesOf(book: PriceBook, name: string): readonly string[] {
  return [...new Set([name, ...(book.rowsByName.get(name) ?? []).flatMap((row) => row.models)])];
}

function toRates(dollars: z.input<typeof usdPerMillion>): Rates {
  const given: Partial<Record<keyof Rates, number>> = {};
  for (const name of ['cacheRead', 'cacheWrite5m', 'cacheWrite1h'] as const) {
    const value = dollars[name];
    if (value !== undefined) given[name] = nanosOf(value);
  }
  return ratesOf(nanosOf(dollars.input), nanosOf(dollars.output), given);
}

function nanosOf(dollars: number): number {
  return Math.round(dollars * NANOS_PER_TOKEN_OF_ONE_DOLLAR);
}

function badFile(fileName: string, issues: readonly z.core.$ZodIssue[]): FuelError {
  const faults = issues
    .slice(0, MAX_SHOWN_FAULTS)
    .map((issue) => `${pathText(issue.path) || 'the file'}: ${complaintOf(issue)}`);
  const more = issues.length > MAX_SHOWN_FAULTS ? `; and ${issues.length - MAX_SHOWN_FAULTS} more` : '';
  return new FuelError('bad_config', `Invalid prices in ${fileName}: ${faults.join('; ')}${more}.`, {
    hint: 'docs/prices.md describes the format of a price row.',
  });
}
