import type { PriceRow, Rates } from './book.ts';

/** Cost of the cache classes relative to fresh input, unless a row states it. */
const CACHE_READ = { num: 1, den: 10 };
const CACHE_WRITE_5M = { num: 5, den: 4 };
const CACHE_WRITE_1H = { num: 2, den: 1 };

/**
 * Rates in nano-dollars per token, with cache classes derived from the input rate. Throws RangeError if a derived rate
 * is not an integer; state it explicitly in that case.
 */
export function ratesOf(input: number, output: number, given: Partial<Rates> = {}): Rates {
  return {
    input: whole(input, 'input'),
    output: whole(output, 'output'),
    cacheRead: whole(given.cacheRead ?? times(input, CACHE_READ), 'cacheRead'),
    cacheWrite5m: whole(given.cacheWrite5m ?? times(input, CACHE_WRITE_5M), 'cacheWrite5m'),
    cacheWrite1h: whole(given.cacheWrite1h ?? times(input, CACHE_WRITE_1H), 'cacheWrite1h'),
  };
}

function times(rate: number, { num, den }: { num: number; den: number }): number {
  return (rate * num) / den;
}

function whole(rate: number, name: string): number {
  if (Number.isSafeInteger(rate) && rate >= 0) return rate;
  throw new RangeError(`${name}: ${rate} nano-dollars per token is not a whole, non-negative number`);
}

/**
 * Data of the price book: nano-dollars per token, so 5_000 is 5 dollars per million tokens. Newest rate of a model
 * first. A price change is a new row and an end date on the old one, never an edit: past usage must keep its price.
 */
const NO_REMARK = { from: null, until: null, longContext: null, fastMultiplier: 1, remark: null } as const;
const OBSERVED = { ...NO_REMARK, source: 'client' } as const;
const LISTED = { ...NO_REMARK, source: 'lists' } as const;

/** From this day on a measured rate replaces the listed one. */
const OBSERVED_FROM = '2026-11-01';
const LISTED_UNTIL = '2026-10-31';

const OPUS_5_5 = ratesOf(4_000, 20_000, { cacheRead: 200 });
const FABLE_5_2 = ratesOf(8_000, 40_000, { cacheRead: 200 });
const FABLE_5_1 = ratesOf(10_000, 50_000, { cacheRead: 250 });
const FABLE_5 = ratesOf(10_000, 50_000);
const OPUS_4_5 = ratesOf(5_000, 25_000);
const OPUS_4 = ratesOf(15_000, 75_000);
const SONNET_4 = ratesOf(3_000, 15_000);
const SONNET_5 = ratesOf(2_000, 10_000);
/** Requests over 200k tokens were possible only in a beta, at a separate price. */
const SONNET_4_BETA_1M = { overInputTokens: 200_000, rates: ratesOf(6_000, 22_500) };
const SONNET_4_REMARK =
  'the price lists have a separate rate for the long-context beta; the client of November 2026 no longer applies it';
const SONNET_4_NAMES = ['claude-sonnet-4', 'claude-sonnet-4-0', 'claude-sonnet-4-20250514'];
const SONNET_4_5_NAMES = ['claude-sonnet-4-5', 'claude-sonnet-4-5-20250929'];

const NEWEST_ROWS: readonly PriceRow[] = [
  { ...OBSERVED, id: 'claude-opus-5-5', models: ['claude-opus-5-5'], rates: OPUS_5_5, fastMultiplier: 2 },
  {
    ...OBSERVED,
    id: 'claude-sonnet-5-5',
    models: ['claude-sonnet-5-5'],
    rates: ratesOf(2_000, 10_000, { cacheRead: 100 }),
  },
  {
    ...OBSERVED,
    id: 'claude-haiku-5-5',
    models: ['claude-haiku-5-5'],
    rates: ratesOf(100, 500),
    longContext: { overInputTokens: 100_000, rates: ratesOf(500, 2_500) },
    remark: 'five times the price in every class above 100,000 input tokens',
  },
  { ...OBSERVED, id: 'claude-fable-5-2', models: ['claude-fable-5-2'], rates: FABLE_5_2, fastMultiplier: 2 },
  { ...OBSERVED, id: 'claude-fable-5-1', models: ['claude-fable-5-1'], rates: FABLE_5_1 },
  { ...OBSERVED, id: 'claude-fable-5', models: ['claude-fable-5'], rates: FABLE_5 },
  { ...OBSERVED, id: 'claude-mythos-5-2', models: ['claude-mythos-5-2'], rates: FABLE_5_2, fastMultiplier: 2 },
  { ...OBSERVED, id: 'claude-mythos-5-1', models: ['claude-mythos-5-1'], rates: FABLE_5_1 },
  { ...OBSERVED, id: 'claude-mythos-5', models: ['claude-mythos-5'], rates: FABLE_5 },
  { ...OBSERVED, id: 'claude-opus-5', models: ['claude-opus-5'], rates: OPUS_4_5, fastMultiplier: 2 },
  {
    ...OBSERVED,
    id: `claude-sonnet-5@${OBSERVED_FROM}`,
    models: ['claude-sonnet-5'],
    from: OBSERVED_FROM,
    rates: SONNET_5,
    remark: 'the client of November 2026 still charged the launch price',
  },
  {
    ...LISTED,
    id: 'claude-sonnet-5@2026-09-01',
    models: ['claude-sonnet-5'],
    from: '2026-09-01',
    until: LISTED_UNTIL,
    rates: SONNET_4,
    remark: 'announced on one public list; not applied by the client of November 2026',
  },
  {
    ...LISTED,
    id: 'claude-sonnet-5',
    models: ['claude-sonnet-5'],
    until: '2026-08-31',
    rates: SONNET_5,
    remark: 'launch price',
  },
];

const FOURTH_ROWS: readonly PriceRow[] = [
  { ...OBSERVED, id: 'claude-opus-4-8', models: ['claude-opus-4-8'], rates: OPUS_4_5, fastMultiplier: 2 },
  { ...OBSERVED, id: 'claude-opus-4-7', models: ['claude-opus-4-7'], rates: OPUS_4_5, fastMultiplier: 6 },
  { ...OBSERVED, id: 'claude-opus-4-6', models: ['claude-opus-4-6'], rates: OPUS_4_5, fastMultiplier: 6 },
  { ...OBSERVED, id: 'claude-opus-4-5', models: ['claude-opus-4-5', 'claude-opus-4-5-20251101'], rates: OPUS_4_5 },
  { ...LISTED, id: 'claude-opus-4-1', models: ['claude-opus-4-1', 'claude-opus-4-1-20250805'], rates: OPUS_4 },
  {
    ...OBSERVED,
    id: 'claude-opus-4',
    models: ['claude-opus-4', 'claude-opus-4-0', 'claude-opus-4-20250514'],
    rates: OPUS_4,
  },
  { ...OBSERVED, id: 'claude-sonnet-4-6', models: ['claude-sonnet-4-6'], rates: SONNET_4 },
  {
    ...OBSERVED,
    id: `claude-sonnet-4-5@${OBSERVED_FROM}`,
    models: SONNET_4_5_NAMES,
    from: OBSERVED_FROM,
    rates: SONNET_4,
    remark: SONNET_4_REMARK,
  },
  {
    ...LISTED,
    id: 'claude-sonnet-4-5',
    models: SONNET_4_5_NAMES,
    until: LISTED_UNTIL,
    rates: SONNET_4,
    longContext: SONNET_4_BETA_1M,
  },
  {
    ...OBSERVED,
    id: `claude-sonnet-4@${OBSERVED_FROM}`,
    models: SONNET_4_NAMES,
    from: OBSERVED_FROM,
    rates: SONNET_4,
    remark: SONNET_4_REMARK,
  },
  {
    ...LISTED,
    id: 'claude-sonnet-4',
    models: SONNET_4_NAMES,
    until: LISTED_UNTIL,
    rates: SONNET_4,
    longContext: SONNET_4_BETA_1M,
  },
  {
    ...OBSERVED,
    id: 'claude-haiku-4-5',
    models: ['claude-haiku-4-5', 'claude-haiku-4-5-20251001'],
    rates: ratesOf(1_000, 5_000),
  },
];

const THIRD_ROWS: readonly PriceRow[] = [
  {
    ...LISTED,
    id: 'claude-3-7-sonnet',
    models: ['claude-3-7-sonnet', 'claude-3-7-sonnet-20250219', 'claude-3-7-sonnet-latest'],
    rates: SONNET_4,
  },
  {
    ...LISTED,
    id: 'claude-3-5-sonnet',
    models: [
      'claude-3-5-sonnet',
      'claude-3-5-sonnet-20240620',
      'claude-3-5-sonnet-20241022',
      'claude-3-5-sonnet-latest',
    ],
    rates: SONNET_4,
  },
  {
    ...OBSERVED,
    id: 'claude-3-5-haiku',
    models: ['claude-3-5-haiku', 'claude-3-5-haiku-20241022', 'claude-3-5-haiku-latest'],
    rates: ratesOf(800, 4_000),
  },
  {
    ...LISTED,
    id: 'claude-3-opus',
    models: ['claude-3-opus', 'claude-3-opus-20240229', 'claude-3-opus-latest'],
    rates: OPUS_4,
  },
  { ...LISTED, id: 'claude-3-sonnet', models: ['claude-3-sonnet', 'claude-3-sonnet-20240229'], rates: SONNET_4 },
  {
    ...LISTED,
    id: 'claude-3-haiku',
    models: ['claude-3-haiku', 'claude-3-haiku-20240307'],
    rates: ratesOf(250, 1_250, { cacheRead: 30, cacheWrite5m: 300 }),
  },
];

export const PRICE_ROWS: readonly PriceRow[] = [...NEWEST_ROWS, ...FOURTH_ROWS, ...THIRD_ROWS];
