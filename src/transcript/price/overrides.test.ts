import { describe, expect, test } from 'vitest';
import { FuelError } from '../../domain/errors.ts';
import { NO_TOKENS } from '../../domain/usage.ts';
import { bookInfo, PRICE_BOOK, type PriceBook } from './book.ts';
import { withOverrides } from './overrides.ts';
import { isUnknownModel, priceUsage } from './price-usage.ts';

const ONE_IN = {
  ...NO_TOKENS,
  input: 1,
  webSearches: 0,
  webFetches: 0,
  thinkingTokens: null,
  serviceTier: null,
  speed: null,
  inferenceGeo: null,
};

function priceOfOne(book: PriceBook, model: string, at: string): unknown {
  return priceUsage(model, ONE_IN, at, book);
}

function faultOf(json: unknown): string {
  try {
    withOverrides(PRICE_BOOK, json, 'my-prices.json');
  } catch (error) {
    expect(error).toBeInstanceOf(FuelError);
    expect((error as FuelError).code).toBe('bad_config');
    return (error as FuelError).message;
  }
  return 'no fault';
}

describe("the user's own prices", () => {
  test('price an unknown model', () => {
    const book = withOverrides(PRICE_BOOK, {
      prices: [{ models: ['my-model'], usdPerMillion: { input: 1.5, output: 2 } }],
    });
    expect(isUnknownModel('my-model', book)).toBe(false);
    expect(priceOfOne(book, 'my-model', '2026-01-01')).toEqual({ costNanos: 1_500, rateId: 'user:my-model' });
    expect(bookInfo(book).sources.map(({ id }) => id)).toEqual(['user', 'client', 'lists']);
  });

  test('take precedence under every name of the model, on the days they cover', () => {
    const row = {
      models: ['claude-opus-4-5'],
      from: '2026-02-01',
      until: '2026-02-28',
      usdPerMillion: { input: 1, output: 2 },
    };
    const book = withOverrides(PRICE_BOOK, { prices: [row] });
    const ours = { costNanos: 5_000, rateId: 'claude-opus-4-5' };
    const theirs = { costNanos: 1_000, rateId: 'user:claude-opus-4-5@2026-02-01' };
    for (const name of ['claude-opus-4-5', 'claude-opus-4-5-20251101', 'us.anthropic.claude-opus-4-5-20251101-v1:0']) {
      expect(priceOfOne(book, name, '2026-01-31')).toEqual(ours);
      expect(priceOfOne(book, name, '2026-02-01T00:00:00Z')).toEqual(theirs);
      expect(priceOfOne(book, name, '2026-02-28T23:59:59Z')).toEqual(theirs);
      expect(priceOfOne(book, name, '2026-03-01')).toEqual(ours);
    }
  });

  test('do not change the original book', () => {
    withOverrides(PRICE_BOOK, { prices: [{ models: ['claude-opus-5-5'], usdPerMillion: { input: 0, output: 0 } }] });
    expect(priceOfOne(PRICE_BOOK, 'claude-opus-5-5', '2026-11-15')).toEqual({
      costNanos: 4_000,
      rateId: 'claude-opus-5-5',
    });
  });
});

describe('an invalid price file', () => {
  const good = { models: ['m'], usdPerMillion: { input: 1, output: 2 } };
  test.each([
    [null, 'the file: '],
    [{ price: [] }, 'prices: must be a list of price rows'],
    [{ prices: [{ ...good, models: [] }] }, 'prices[0].models: must name at least one model'],
    [
      { prices: [good, { models: ['m'], usdPerMillion: { input: '1', output: 2 } }] },
      'prices[1].usdPerMillion.input: must be a number',
    ],
    [
      { prices: [{ models: ['m'], usdPerMillion: { input: -1, output: 2 } }] },
      'usdPerMillion.input: must not be negative',
    ],
    [{ prices: [{ models: ['m'], usdPerMillion: { input: 1e9, output: 2 } }] }, 'usdPerMillion.input: must not exceed'],
    [{ prices: [{ models: ['m'], usdPerMillion: { input: 0.0004, output: 2 } }] }, 'input: must not be finer than'],
    [
      { prices: [{ models: ['m'], usdPerMillion: { input: 0.005, output: 2 } }] },
      'cacheRead: 0.5 nano-dollars per token',
    ],
    [{ prices: [{ ...good, from: '2026-13-01' }] }, 'prices[0].from: must be a day like "2026-11-15"'],
    [{ prices: [{ ...good, from: '2026-02-01', until: '2026-01-01' }] }, 'prices[0].until: must not be before "from"'],
    [{ prices: [{ ...good, fastMultiplier: 1.5 }] }, 'prices[0].fastMultiplier: must be a whole number'],
    [{ prices: [{ ...good, usdPerMilion: {} }] }, 'prices[0]: '],
  ])('%j is reported with the path of the field', (json, sentence) => {
    const fault = faultOf(json);
    expect(fault).toContain('Invalid prices in my-prices.json: ');
    expect(fault).toContain(sentence);
  });

  test('lists only the first of many errors', () => {
    const prices = Array.from({ length: 9 }, () => ({ ...good, from: 'x' }));
    expect(faultOf({ prices })).toMatch(/; and 4 more\.$/);
  });
});
