import { join } from 'node:path';
import { FuelError } from './domain/errors.ts';
import { readTextFile } from './lib/private-file.ts';
import { priceUsage } from './transcript/price/price-usage.ts';

/** Prices of the person's own, put before ours: `prices.json` in the data folder. */
const FILE = 'prices.json';

/** What an API message costs, by our price book and the person's own file. Errors: bad_config for a file that is none. */
export async function loadPrices(home: string): Promise<typeof priceUsage> {
  const path = join(home, FILE);
  const text = readTextFile(path);
  if (text === null) return priceUsage;
  const [{ PRICE_BOOK }, { withOverrides }] = await Promise.all([
    import('./transcript/price/book.ts'),
    import('./transcript/price/overrides.ts'),
  ]);
  const book = withOverrides(PRICE_BOOK, parse(path, text), path);
  return (model, usage, at) => priceUsage(model, usage, at, book);
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new FuelError('bad_config', `${path} is not JSON.`, {
      hint: 'Mend it or remove it; docs/prices.md shows its form.',
      cause,
    });
  }
}
