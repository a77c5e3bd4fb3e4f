import { join } from 'node:path';
import type { PriceFacts } from '../../api/usage.ts';
import type { PriceStamp } from '../../domain/cost.ts';
import { FuelError } from '../../domain/errors.ts';
import { readTextFile } from '../../lib/private-file.ts';
import { sha256Hex } from '../../lib/sha256.ts';
import type { Engine } from '../../store/engine.ts';
import { enforceBook, isBookInForce, isPricedByAnotherBook } from '../../store/queries/usage/price-state.ts';
import {
  BATCH,
  PRICE_BOOK,
  PRICE_SOURCES,
  type PriceBook,
  US_ONLY,
  WEB_SEARCH_NANOS,
} from '../../transcript/price/book.ts';
import { priceUsage, ratesFor } from '../../transcript/price/price-usage.ts';

/** Prices of the person's own, put before ours: `prices.json` in the data folder. */
const FILE = 'prices.json';

export interface Prices {
  readonly book: PriceBook;
  readonly facts: PriceFacts;
}

/** Our price book with the person's own file before it. Errors: bad_config for a file that is none. */
export async function loadPriceBook(home: string): Promise<Prices> {
  const path = join(home, FILE);
  const text = readTextFile(path);
  const used = new Set(PRICE_BOOK.rows.map(({ source }) => source));
  const sources = [...used].map((source) => PRICE_SOURCES[source].about);
  const facts: PriceFacts = { book_date: PRICE_BOOK.date, sources, user_file: text === null ? null : path };
  if (text === null) return { book: PRICE_BOOK, facts };
  const { withOverrides } = await import('../../transcript/price/overrides.ts');
  return { book: withOverrides(PRICE_BOOK, parse(path, text), path), facts };
}

export interface Pricing {
  /** What an API message costs, by that book. */
  readonly price: typeof priceUsage;
  readonly priceStamp: PriceStamp;
}

/** Errors: bad_config. */
export async function loadPricing(home: string): Promise<Pricing> {
  const { book } = await loadPriceBook(home);
  return { price: (model, usage, at) => priceUsage(model, usage, at, book), priceStamp: stampOf(book) };
}

export function stampOf(book: PriceBook): PriceStamp {
  const ratesOf = (models: readonly string[]) =>
    markOf([...new Set(models)].toSorted().map((model) => [model, ratesFor(book, model)]));
  return { id: markOf(book.rows), date: book.date, ratesOf };
}

const MARK_CHARS = 16;

/** What applies to every model is part of every mark. */
function markOf(facts: unknown): string {
  const all = JSON.stringify([facts, BATCH, US_ONLY, WEB_SEARCH_NANOS]);
  return sha256Hex(all).slice(0, MARK_CHARS);
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new FuelError('bad_config', `${path} is not JSON.`, {
      hint: 'Fix it or remove it; docs/prices.md describes the format.',
      cause,
    });
  }
}

/**
 * The book by which sessions are priced anew, after those were taken for priced by it that cost the same in it; undefined
 * while the book of another device counts.
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
