import { dayText } from '../../domain/days.ts';
import { SYNTHETIC_MODEL, type TokenCounts, type Usage } from '../../domain/usage.ts';
import {
  BATCH,
  type LongContext,
  type Modifier,
  PRICE_BOOK,
  type PriceBook,
  type PriceRow,
  type Rates,
  US_ONLY,
  WEB_SEARCH_NANOS,
} from './book.ts';

/**
 * One model has many names: with a date, with the prefix and version of a cloud provider, with a context marker. Only
 * such decoration is removed; a name that still matches no row stays unknown, because a guessed price is a wrong one.
 */

const CONTEXT_MARK = /\[1m\]$/;
/** `arn:aws:bedrock:…/us.anthropic.x`, `publishers/anthropic/models/x`, `anthropic/x`, `bedrock/x`, `vertex_ai/x` */
const PROVIDER_PATH = /^(?:arn:aws[\w-]*:bedrock:.*\/|(?:.*\/)?anthropic\/(?:models\/)?|bedrock\/|vertex_ai\/)/;
/** Bedrock: `anthropic.x`, `us.anthropic.x`, `global.anthropic.x` */
const BEDROCK_PREFIX = /^(?:[a-z-]{2,8}\.)?anthropic\./;
/** Bedrock: `x-v1`, `x-v2:0` */
const BEDROCK_VERSION = /-v\d+(?::\d+)?$/;
/** Vertex: `x@20251101`, `x@default` */
const VERTEX_DATE = /@(\d{8})$/;
const VERTEX_DEFAULT = /@(?:default|latest)$/;
/** OpenRouter: `claude-sonnet-4.5` */
const DOTTED_VERSION = /(\d)\.(\d)/g;
const DATE = /-20\d{6}$/;

/** True if there is nothing to price, as opposed to a model with an unknown price. */
function isNoModel(model: string): boolean {
  return model === SYNTHETIC_MODEL || model === '';
}

/** Names to look up, most specific first. */
function namesOf(model: string): readonly string[] {
  const plain = model
    .replace(CONTEXT_MARK, '')
    .replace(PROVIDER_PATH, '')
    .replace(BEDROCK_PREFIX, '')
    .replace(BEDROCK_VERSION, '')
    .replace(VERTEX_DATE, '-$1')
    .replace(VERTEX_DEFAULT, '')
    .replace(DOTTED_VERSION, '$1-$2');
  return [model, plain, plain.replace(DATE, '')];
}

export interface PricedUsage {
  /** Integer nano-dollars. */
  readonly costNanos: number;
  /** The row and the modifiers applied to its rates: `claude-opus-4-6+fast+us`. */
  readonly rateId: string;
}

const DAY_LENGTH = 10;
const UTC_TIME = /^\d{4}-\d{2}-\d{2}(?:T.*Z)?$/;
const NONE: readonly Modifier[] = [];

/**
 * Cost of one API message at the rate of its day (UTC); without a time, at the newest rate. All multipliers are
 * combined first and the cost is rounded once per message, half a nano-dollar up. Null for a model without a row and
 * for implausible counts: never zero.
 */
export function priceUsage(
  model: string,
  usage: Usage,
  at: string | null,
  book: PriceBook = PRICE_BOOK,
): PricedUsage | null {
  const row = rateFor(book, model, at);
  if (row === null) return null;
  const long = row.longContext !== null && inputOf(usage) > row.longContext.overInputTokens ? row.longContext : null;
  const applied = modifiersOf(row, usage);
  const list = listNanos(usage, long?.rates ?? row.rates);
  const costNanos = multiplied(list, applied) + usage.webSearches * WEB_SEARCH_NANOS;
  if (!Number.isSafeInteger(costNanos) || costNanos < 0) return null;
  return { costNanos, rateId: rateIdOf(row, long, applied) };
}

/** The row that applies to a model on a day, or null. */
function rateFor(book: PriceBook, model: string, at: string | null): PriceRow | null {
  const rows = ratesFor(book, model);
  if (rows === undefined) return null;
  if (rows.length === 1 && rows[0]?.from === null && rows[0].until === null) return rows[0];
  const day = at === null ? null : utcDay(at);
  if (day === null) return rows.find((row) => row.until === null) ?? rows[0] ?? null;
  return rows.find((row) => (row.from ?? day) <= day && day <= (row.until ?? day)) ?? null;
}

/** All rows of a model, for any day. */
export function ratesFor(book: PriceBook, model: string): readonly PriceRow[] | undefined {
  return book.rowsByName.get(model) ?? rowsByOtherName(book, model);
}

/** True for a model that answered but has no price: its tokens count, its cost is unknown. */
export function isUnknownModel(model: string, book: PriceBook = PRICE_BOOK): boolean {
  return !isNoModel(model) && ratesFor(book, model) === undefined;
}

function rowsByOtherName(book: PriceBook, model: string): readonly PriceRow[] | undefined {
  const name = namesOf(model).find((each) => book.rowsByName.has(each));
  return name === undefined ? undefined : book.rowsByName.get(name);
}

/** The UTC day of an ISO time; null if it is invalid. */
function utcDay(at: string): string | null {
  if (UTC_TIME.test(at)) return at.slice(0, DAY_LENGTH);
  const time = Date.parse(at);
  return Number.isNaN(time) ? null : dayText(time);
}

/** Everything the model received; the long-context limit applies to this sum. */
function inputOf(tokens: TokenCounts): number {
  return tokens.input + tokens.cacheRead + tokens.cacheWrite5m + tokens.cacheWrite1h;
}

/** Cost of tokens before modifiers. */
function listNanos(tokens: TokenCounts, rates: Rates): number {
  return (
    tokens.input * rates.input +
    tokens.output * rates.output +
    tokens.cacheRead * rates.cacheRead +
    tokens.cacheWrite5m * rates.cacheWrite5m +
    tokens.cacheWrite1h * rates.cacheWrite1h
  );
}

function modifiersOf(row: PriceRow, usage: Usage): readonly Modifier[] {
  const isFast = usage.speed === 'fast' && row.fastMultiplier !== 1;
  const isBatch = usage.serviceTier === 'batch';
  const isUsOnly = usage.inferenceGeo === 'us';
  if (!isFast && !isBatch && !isUsOnly) return NONE;
  return [
    ...(isFast ? [{ mark: '+fast', num: row.fastMultiplier, den: 1 }] : NONE),
    ...(isBatch ? [BATCH] : NONE),
    ...(isUsOnly ? [US_ONLY] : NONE),
  ];
}

/** list × num ÷ den, rounding halves up; exact even if the product exceeds the safe integers. */
function multiplied(list: number, applied: readonly Modifier[]): number {
  if (applied.length === 0 || !Number.isSafeInteger(list)) return list;
  const num = applied.reduce((product, modifier) => product * modifier.num, 1);
  const den = applied.reduce((product, modifier) => product * modifier.den, 1);
  const doubled = 2 * list * num + den;
  if (Number.isSafeInteger(doubled)) return (doubled - (doubled % (2 * den))) / (2 * den);
  return Number((2n * BigInt(list) * BigInt(num) + BigInt(den)) / (2n * BigInt(den)));
}

interface AppliedRates {
  readonly rates: Rates;
  /** The surcharges and discounts, as a fraction. */
  readonly num: number;
  readonly den: number;
}

/** The price row of a stored rate id in this book; null when the book has no such row. */
export function appliedRates(book: PriceBook, rateId: string): AppliedRates | null {
  const [id = '', ...marks] = rateId.split('+');
  const row = book.rows.find((each) => each.id === id);
  if (row === undefined) return null;
  const rates = marks.includes('long') ? (row.longContext?.rates ?? row.rates) : row.rates;
  const factors = [{ mark: '+fast', num: row.fastMultiplier, den: 1 }, BATCH, US_ONLY];
  const applied = factors.filter(({ mark }) => marks.includes(mark.slice(1)));
  return {
    rates,
    num: applied.reduce((product, { num }) => product * num, 1),
    den: applied.reduce((product, { den }) => product * den, 1),
  };
}

function rateIdOf(row: PriceRow, long: LongContext | null, applied: readonly Modifier[]): string {
  if (long === null && applied.length === 0) return row.id;
  return row.id + (long === null ? '' : '+long') + applied.map(({ mark }) => mark).join('');
}
