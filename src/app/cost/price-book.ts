import { join } from 'node:path';
import type { PriceFacts } from '../../api/usage.ts';
import { FuelError } from '../../domain/errors.ts';
import { readTextFile } from '../../lib/private-file.ts';
import { PRICE_BOOK, PRICE_SOURCES, type PriceBook } from '../../transcript/price/book.ts';

/** User prices, which take precedence: `prices.json` in the data folder. */
const FILE = 'prices.json';

export interface Prices {
  readonly book: PriceBook;
  readonly facts: PriceFacts;
}

/** The built-in price book with the user's prices. Errors: bad_config for an invalid file. */
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
