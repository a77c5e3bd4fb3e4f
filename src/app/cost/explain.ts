import { join } from 'node:path';
import type { Config } from '../../config.ts';
import type { CostQuery } from '../../domain/cost.ts';
import { dollars } from '../../domain/usage.ts';
import { loadPriceBook } from './price-file.ts';
import { type LineCosts, type RateUse, readLineCosts, readRateUse } from '../../store/queries/usage/cost-explain.ts';
import { openStore } from '../../store/store.ts';
import type { PriceBook, PriceRow } from '../../transcript/price/book.ts';

export interface CostExplanation {
  readonly rates: readonly (RateUse & {
    /** Input, output, cache read, cache write for 5 minutes and for an hour; null without a price. */
    readonly per_million_usd: readonly number[] | null;
  })[];
  readonly rules: readonly string[];
  readonly line_costs: LineCosts | null;
}

const RULES = [
  'Each message counts once, in the session where it first appeared, with the largest figures of all its copies.',
  'Each message is priced at the list price of its day. +fast, +batch, +us and +long mark surcharges and discounts. Web searches cost $10 per thousand.',
  'Other tools may differ because they count every line or copy, ignore cache tiers, or use one price for all days. See docs/cost.md.',
];

/** How the costs of the range came about. */
export async function explainCost(query: CostQuery, { databaseUrl, home }: Config): Promise<CostExplanation> {
  const { book } = await loadPriceBook(home);
  await using store = await openStore({ databaseUrl, sqlitePath: join(home, 'fuel.db'), onIdleError: () => {} });
  const { kysely } = store.engine;
  const uses = await readRateUse(kysely, query);
  return {
    rates: uses.map((use) => ({ ...use, per_million_usd: ratesOf(book, use.rate_id) })),
    rules: RULES,
    line_costs: await readLineCosts(kysely),
  };
}

const TOKENS_PER_PRICE = 1_000_000;

function ratesOf(book: PriceBook, rateId: string | null): readonly number[] | null {
  const row = rateId === null ? undefined : rowOf(book, rateId.split('+')[0] ?? '');
  if (row === undefined) return null;
  const { input, output, cacheRead, cacheWrite5m, cacheWrite1h } = row.rates;
  return [input, output, cacheRead, cacheWrite5m, cacheWrite1h].map((nanos) => dollars(nanos * TOKENS_PER_PRICE));
}

function rowOf(book: PriceBook, id: string): PriceRow | undefined {
  return [...book.rowsByName.values()].flat().find((row) => row.id === id);
}
