import type { CostBreakdown, PriceBookAnswer } from '../../api/cost.ts';
import { type CostQuery, cacheSavedNanos } from '../../domain/cost.ts';
import { addSafely, dollars } from '../../domain/usage.ts';
import type { Tx } from '../../store/engine.ts';
import { loadRatedUsage, type RatedUsage, readCostParts } from '../../store/queries/usage/cost-breakdown.ts';
import { PRICE_SOURCES, type PriceBook, type Rates, WEB_SEARCH_NANOS } from '../../transcript/price/book.ts';
import { appliedRates } from '../../transcript/price/price-usage.ts';
import type { Prices } from './price-book.ts';

/** The cost of a period for the dashboard. */
export async function readCostBreakdown(db: Tx, query: CostQuery, { book, facts }: Prices): Promise<CostBreakdown> {
  const rated = await loadRatedUsage(db, query);
  const { timezone, since, until } = query;
  return {
    timezone,
    since,
    until,
    ...(await readCostParts(db, query)),
    cache: cacheSavings(book, rated),
    rates: rated.map(({ model, rate_id, messages, cost_nanos }) => ({ model, rate_id, messages, cost_nanos })),
    prices: facts,
  };
}

/** Usage without a price is left out; priced usage whose rates are unknown is counted in `unknown_messages`. */
function cacheSavings(book: PriceBook, rated: readonly RatedUsage[]): CostBreakdown['cache'] {
  let saved = 0;
  let unknown = 0;
  for (const use of rated) {
    const applied = appliedRates(book, use.rate_id);
    if (applied === null) unknown += use.messages - use.unpriced_messages;
    else saved = addSafely(saved, Math.round((cacheSavedNanos(use, applied.rates) * applied.num) / applied.den));
  }
  return { saved_nanos: saved, saved_usd: dollars(saved), unknown_messages: unknown };
}

const TOKENS_PER_PRICE = 1_000_000;

export function describeBook({ book, facts }: Prices): PriceBookAnswer {
  return {
    ...facts,
    web_search_usd: dollars(WEB_SEARCH_NANOS),
    rows: book.rows.map(({ rates, longContext, fastMultiplier, source, ...row }) => ({
      id: row.id,
      models: row.models,
      from: row.from,
      until: row.until,
      usd_per_million: usdPerMillion(rates),
      long_context: longContext && {
        over_input_tokens: longContext.overInputTokens,
        usd_per_million: usdPerMillion(longContext.rates),
      },
      fast_multiplier: fastMultiplier,
      source: PRICE_SOURCES[source].about,
      source_date: PRICE_SOURCES[source].date,
      remark: row.remark,
    })),
  };
}

export function usdPerMillion({ input, output, cacheRead, cacheWrite5m, cacheWrite1h }: Rates) {
  const usd = (nanos: number) => dollars(nanos * TOKENS_PER_PRICE);
  return {
    input: usd(input),
    output: usd(output),
    cache_read: usd(cacheRead),
    cache_write_5m: usd(cacheWrite5m),
    cache_write_1h: usd(cacheWrite1h),
  };
}
