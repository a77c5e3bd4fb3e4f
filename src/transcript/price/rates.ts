import type { Rates } from './book.ts';

/** What the classes cost in relation to fresh input, unless a row says otherwise. */
const CACHE_READ = { num: 1, den: 10 };
const CACHE_WRITE_5M = { num: 5, den: 4 };
const CACHE_WRITE_1H = { num: 2, den: 1 };

/**
 * Rates in nano-dollars per token, cache classes derived from the input rate. Throws RangeError when a derived rate is
 * not whole; give it explicitly then.
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
