import type { PriceStamp } from '../../domain/cost.ts';
import { sha256Hex } from '../../lib/sha256.ts';
import type { Engine } from '../../store/engine.ts';
import { enforceBook, isBookInForce, isPricedByAnotherBook } from '../../store/queries/usage/price-state.ts';
import { BATCH, PRICE_BOOK, type PriceBook, US_ONLY, WEB_SEARCH_NANOS } from '../../transcript/price/book.ts';
import { priceUsage, ratesFor } from '../../transcript/price/price-usage.ts';
import { loadPriceBook } from './price-book.ts';

export interface Pricing {
  readonly book: PriceBook;
  /** The cost of an API message. */
  readonly price: typeof priceUsage;
  readonly priceStamp: PriceStamp;
}

/** Errors: bad_config. */
export async function loadPricing(home: string): Promise<Pricing> {
  const { book } = await loadPriceBook(home);
  return { book, price: (model, usage, at) => priceUsage(model, usage, at, book), priceStamp: stampOf(book) };
}

/** The id of the built-in price book, set by the build: loading the hash function takes longer than a short query. */
declare const FUEL_CODE_BOOK_ID: string | undefined;
const BUILT_IN_ID = typeof FUEL_CODE_BOOK_ID === 'string' ? FUEL_CODE_BOOK_ID : null;

export function stampOf(book: PriceBook): PriceStamp {
  const ratesOf = (models: readonly string[]) =>
    hashOf([...new Set(models)].toSorted().map((model) => [model, ratesFor(book, model)]));
  const id = book === PRICE_BOOK ? BUILT_IN_ID : null;
  return { id: id ?? hashOf(book.rows), date: book.date, ratesOf };
}

const HASH_CHARS = 16;

/** A hash of prices, including the surcharges and discounts that apply to every model. */
function hashOf(facts: unknown): string {
  const all = JSON.stringify([facts, BATCH, US_ONLY, WEB_SEARCH_NANOS]);
  return sha256Hex(all).slice(0, HASH_CHARS);
}

/**
 * The price book that sessions must be priced with; undefined while the book of another device is in force. Sessions
 * whose cost does not change are marked as priced with it.
 */
export async function priceBookFor({
  engine,
  device,
  priceStamp,
}: {
  readonly engine: Engine;
  readonly device: { readonly id: string };
  readonly priceStamp: PriceStamp;
}): Promise<string | undefined> {
  if (!(await isBookInForce(engine.kysely, device.id, priceStamp))) return undefined;
  if (await isPricedByAnotherBook(engine.kysely, priceStamp.id)) await enforceBook(engine, device.id, priceStamp);
  return priceStamp.id;
}
