import { existsSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PRICE_FACTS } from '../../../test/support/shared-data.ts';
import { NO_TOKENS, type TokenCounts, type Usage } from '../../domain/usage.ts';
import { bookInfo, PRICE_BOOK } from './book.ts';
import { isUnknownModel, priceUsage } from './price-usage.ts';

const NOVEMBER = '2026-11-15T12:00:00.000Z';

function usageOf(given: Partial<Usage>): Usage {
  const plain = { thinkingTokens: null, serviceTier: null, speed: null, inferenceGeo: null };
  return { ...NO_TOKENS, webSearches: 0, webFetches: 0, ...plain, ...given };
}

function costOf(model: string, given: Partial<Usage>, at: string | null = NOVEMBER): number | undefined {
  return priceUsage(model, usageOf(given), at)?.costNanos;
}

/**
 * USD per million charged by client 2.1.325: input, output, cache read, write 5m, write 1h, input of a 300k request.
 */
const OBSERVED: Record<string, readonly [number, number, number, number, number, number]> = {
  'claude-opus-5-5': [4, 20, 0.2, 5, 8, 4],
  'claude-sonnet-5-5': [2, 10, 0.1, 2.5, 4, 2],
  'claude-haiku-5-5': [0.1, 0.5, 0.01, 0.125, 0.2, 0.5],
  'claude-fable-5-2': [8, 40, 0.2, 10, 16, 8],
  'claude-fable-5-1': [10, 50, 0.25, 12.5, 20, 10],
  'claude-fable-5': [10, 50, 1, 12.5, 20, 10],
  'claude-mythos-5-2': [8, 40, 0.2, 10, 16, 8],
  'claude-mythos-5-1': [10, 50, 0.25, 12.5, 20, 10],
  'claude-mythos-5': [10, 50, 1, 12.5, 20, 10],
  'claude-opus-5': [5, 25, 0.5, 6.25, 10, 5],
  'claude-opus-4-8': [5, 25, 0.5, 6.25, 10, 5],
  'claude-opus-4-7': [5, 25, 0.5, 6.25, 10, 5],
  'claude-opus-4-6': [5, 25, 0.5, 6.25, 10, 5],
  'claude-opus-4-5': [5, 25, 0.5, 6.25, 10, 5],
  'claude-opus-4': [15, 75, 1.5, 18.75, 30, 15],
  'claude-sonnet-5': [2, 10, 0.2, 2.5, 4, 2],
  'claude-sonnet-4-6': [3, 15, 0.3, 3.75, 6, 3],
  'claude-sonnet-4-5': [3, 15, 0.3, 3.75, 6, 3],
  'claude-sonnet-4': [3, 15, 0.3, 3.75, 6, 3],
  'claude-haiku-4-5': [1, 5, 0.1, 1.25, 2, 1],
  'claude-3-5-haiku-20241022': [0.8, 4, 0.08, 1, 1.6, 0.8],
};

function nanos(usdPerMillion: number, tokens: number): number {
  return Math.round(usdPerMillion * 1_000) * tokens;
}

function expectObserved(model: string, rates: readonly number[]): void {
  const classes: (keyof TokenCounts)[] = ['input', 'output', 'cacheRead', 'cacheWrite5m', 'cacheWrite1h'];
  for (const [index, name] of classes.entries()) {
    expect(costOf(model, { [name]: 1_000 }), `${model} ${name}`).toBe(nanos(rates[index] ?? Number.NaN, 1_000));
  }
  expect(costOf(model, { input: 300_000 }), `${model} 300k`).toBe(nanos(rates[5] ?? Number.NaN, 300_000));
}

describe('the rates', () => {
  test.each(Object.entries(OBSERVED))('%s costs what the client charged', (model, rates) => {
    expectObserved(model, rates);
  });

  test.runIf(existsSync(PRICE_FACTS))('every observed row of the shared facts is reproduced to the nano-dollar', () => {
    const { observed } = JSON.parse(readFileSync(PRICE_FACTS, 'utf8')) as {
      observed: Record<
        string,
        Record<'input' | 'output' | 'cache_read' | 'write_5m' | 'write_1h' | 'input_300k', number>
      >;
    };
    expect(Object.keys(observed).length).toBeGreaterThan(20);
    for (const [model, is] of Object.entries(observed)) {
      expectObserved(model, [is.input, is.output, is.cache_read, is.write_5m, is.write_1h, is.input_300k]);
    }
  });

  test.runIf(existsSync(PRICE_FACTS))(
    'every model of the public lists has a row with its list price in mid-2026',
    () => {
      const { lists } = JSON.parse(readFileSync(PRICE_FACTS, 'utf8')) as {
        lists: { models: string[]; input: number; output: number; cache_read?: number; write_5m?: number }[];
      };
      for (const row of lists) {
        for (const model of row.models) {
          expect(costOf(model, { input: 1_000 }, '2026-07-01'), model).toBe(nanos(row.input, 1_000));
          expect(costOf(model, { output: 1_000 }, '2026-07-01'), model).toBe(nanos(row.output, 1_000));
          const read = row.cache_read ?? row.input / 10;
          expect(costOf(model, { cacheRead: 1_000 }, '2026-07-01'), model).toBe(nanos(read, 1_000));
          const write = row.write_5m ?? row.input * 1.25;
          expect(costOf(model, { cacheWrite5m: 1_000 }, '2026-07-01'), model).toBe(nanos(write, 1_000));
        }
      }
    },
  );

  test('every rate is an integer and every row id is unique', () => {
    for (const row of PRICE_BOOK.rows) {
      for (const rates of [row.rates, ...(row.longContext ? [row.longContext.rates] : [])]) {
        for (const rate of Object.values(rates)) expect(Number.isSafeInteger(rate), row.id).toBe(true);
      }
    }
    const ids = PRICE_BOOK.rows.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('the rows of a model cover every day exactly once', () => {
    for (const [name, rows] of PRICE_BOOK.rowsByName) {
      const [newest, ...older] = rows;
      expect(newest?.until, name).toBe(null);
      expect(rows.at(-1)?.from, name).toBe(null);
      for (const [index, row] of older.entries()) {
        const next = rows[index]?.from;
        expect(next && new Date(Date.parse(next) - 86_400_000).toISOString().slice(0, 10), name).toBe(row.until);
      }
    }
  });

  test('the book states its age and its sources', () => {
    expect(bookInfo()).toMatchObject({ date: PRICE_BOOK.date, sources: [{ id: 'client' }, { id: 'lists' }] });
  });
});

describe('dates', () => {
  test('a request is priced at the rate of its day', () => {
    expect(costOf('claude-sonnet-5', { input: 1 }, '2026-08-31T23:59:59.999Z')).toBe(2_000);
    expect(costOf('claude-sonnet-5', { input: 1 }, '2026-09-01T00:00:00.000Z')).toBe(3_000);
    expect(costOf('claude-sonnet-5', { input: 1 }, '2026-11-01T00:00:00.000Z')).toBe(2_000);
  });

  test('the day is the UTC day, regardless of the time zone in the text', () => {
    expect(costOf('claude-sonnet-5', { input: 1 }, '2026-08-31T23:59:59-05:00')).toBe(3_000);
  });

  test.each([null, '', 'yesterday', 'Z'])('without a time (%j) the newest rate applies', (at) => {
    expect(priceUsage('claude-sonnet-5', usageOf({ input: 1 }), at)?.rateId).toBe('claude-sonnet-5@2026-11-01');
  });
});

describe('model names', () => {
  test.each([
    ['claude-opus-4-5-20251101', 'claude-opus-4-5'],
    ['claude-opus-4-8-20260301', 'claude-opus-4-8'],
    ['claude-sonnet-4-0', 'claude-sonnet-4@2026-11-01'],
    ['claude-3-5-haiku-latest', 'claude-3-5-haiku'],
    ['claude-opus-4-6[1m]', 'claude-opus-4-6'],
    ['anthropic.claude-opus-4-6-v1', 'claude-opus-4-6'],
    ['us.anthropic.claude-haiku-4-5-20251001-v1:0', 'claude-haiku-4-5'],
    ['global.anthropic.claude-opus-5-5', 'claude-opus-5-5'],
    ['arn:aws:bedrock:us-east-1:1:inference-profile/eu.anthropic.claude-3-haiku-20240307-v1:0', 'claude-3-haiku'],
    ['claude-opus-4-5@20251101', 'claude-opus-4-5'],
    ['claude-opus-4-6@default', 'claude-opus-4-6'],
    ['publishers/anthropic/models/claude-opus-4-1@20250805', 'claude-opus-4-1'],
    ['anthropic/claude-3.7-sonnet', 'claude-3-7-sonnet'],
  ])('%s is %s', (name, rateId) => {
    expect(priceUsage(name, usageOf({ input: 1 }), NOVEMBER)?.rateId).toBe(rateId);
    expect(isUnknownModel(name)).toBe(false);
  });

  test.each([
    'claude-opus-9',
    'claude-opus-5-9',
    'claude-opus',
    'opus',
    'claude-opus-4-6-preview',
    'claude-opus-4-60',
    'my-claude-opus-4-6',
    'other/claude-opus-4-6',
    'gpt-5',
    '__proto__',
    'constructor',
  ])('%s has no guessed price', (name) => {
    expect(priceUsage(name, usageOf({ input: 1 }), NOVEMBER)).toBe(null);
    expect(isUnknownModel(name)).toBe(true);
  });

  test('a synthetic message has no price and is not an unknown model', () => {
    expect(priceUsage('<synthetic>', usageOf({ input: 1 }), NOVEMBER)).toBe(null);
    expect(isUnknownModel('<synthetic>')).toBe(false);
  });
});

describe('modifiers of a rate', () => {
  test('haiku-5-5 costs five times as much in every class from 100,001 input tokens', () => {
    expect(costOf('claude-haiku-5-5', { input: 100_000, output: 1 })).toBe(100_000 * 100 + 500);
    expect(costOf('claude-haiku-5-5', { input: 100_001, output: 1 })).toBe(100_001 * 500 + 2_500);
    expect(costOf('claude-haiku-5-5', { input: 99_999, cacheRead: 2 })).toBe(99_999 * 500 + 2 * 50);
    expect(costOf('claude-haiku-5-5', { input: 99_999, cacheWrite5m: 1, cacheWrite1h: 1 })).toBe(99_999 * 500 + 1_625);
    expect(priceUsage('claude-haiku-5-5', usageOf({ input: 100_001 }), NOVEMBER)?.rateId).toBe('claude-haiku-5-5+long');
  });

  test('the long-context beta of sonnet 4 and 4.5 had its own price while it lasted', () => {
    for (const model of ['claude-sonnet-4-20250514', 'claude-sonnet-4-5-20250929']) {
      expect(costOf(model, { input: 200_000, output: 1 }, '2025-10-01')).toBe(200_000 * 3_000 + 15_000);
      expect(costOf(model, { cacheRead: 200_001, output: 1 }, '2025-10-01')).toBe(200_001 * 600 + 22_500);
      expect(costOf(model, { cacheRead: 200_001, output: 1 })).toBe(200_001 * 300 + 15_000);
    }
  });

  test.each([
    ['claude-opus-4-6', 6],
    ['claude-opus-4-7', 6],
    ['claude-opus-4-8', 2],
    ['claude-opus-5', 2],
    ['claude-opus-5-5', 2],
    ['claude-fable-5-2', 2],
    ['claude-mythos-5-2', 2],
    ['claude-fable-5-1', 1],
    ['claude-sonnet-5-5', 1],
    ['claude-haiku-5-5', 1],
  ])('fast mode of %s costs %i times as much', (model, times) => {
    const tokens = { input: 7, output: 5, cacheRead: 3, cacheWrite5m: 2, cacheWrite1h: 1 };
    expect(costOf(model, { ...tokens, speed: 'fast' })).toBe(times * (costOf(model, tokens) ?? 0));
  });

  test('the rate id contains all marks', () => {
    const usage = usageOf({ input: 300_000, speed: 'fast', serviceTier: 'batch', inferenceGeo: 'us' });
    expect(priceUsage('claude-haiku-5-5', usage, NOVEMBER)?.rateId).toBe('claude-haiku-5-5+long+batch+us');
    expect(priceUsage('claude-opus-4-6', usage, NOVEMBER)).toEqual({
      costNanos: (300_000 * 5_000 * 6 * 11) / 20,
      rateId: 'claude-opus-4-6+fast+batch+us',
    });
  });

  test('half a nano-dollar is rounded up, once per message', () => {
    // 25 nano-dollars per token × 1/2
    expect(costOf('claude-haiku-5-5', { cacheRead: 1, serviceTier: 'batch' })).toBe(5);
    expect(costOf('claude-haiku-5-5', { cacheWrite5m: 1, serviceTier: 'batch' })).toBe(63);
    expect(costOf('claude-haiku-5-5', { cacheWrite5m: 1, cacheRead: 1, serviceTier: 'batch' })).toBe(68);
    expect(costOf('claude-haiku-5-5', { cacheWrite5m: 3, inferenceGeo: 'us' })).toBe(413);
  });

  test('a web search costs one cent without multipliers; a web fetch is free', () => {
    const web = { webSearches: 3, webFetches: 2, serviceTier: 'batch', inferenceGeo: 'us', speed: 'fast' };
    expect(costOf('claude-opus-4-6', web)).toBe(30_000_000);
  });

  test.each(['standard', 'priority', 'not_available', 'global', '', null])('%j changes nothing', (word) => {
    const usage = { input: 9, speed: word, serviceTier: word, inferenceGeo: word };
    expect(costOf('claude-opus-4-6', usage)).toBe(45_000);
  });

  test('implausible counts have no price', () => {
    for (const input of [Number.NaN, Number.POSITIVE_INFINITY, -1, 0.5 ** 40, 2 ** 52]) {
      expect(costOf('claude-opus-4-6', { input }), String(input)).toBe(undefined);
    }
    expect(costOf('claude-opus-4-6', { input: 2 ** 52, serviceTier: 'batch' })).toBe(undefined);
  });

  test('large products stay exact', () => {
    // 9e14 × 5,000 × 6 × 11 ÷ 20 exceeds the safe integers in intermediate steps, but the result does not.
    const usage = { input: 300_000_000_007, speed: 'fast', serviceTier: 'batch', inferenceGeo: 'us' };
    expect(costOf('claude-opus-4-6', usage)).toBe(Number((300_000_000_007n * 5_000n * 66n) / 20n));
  });
});

const MODELS = PRICE_BOOK.rows.map((row) => row.models[0] ?? '');
const anyTokens = fc.record({
  input: fc.nat(40_000),
  output: fc.nat(100_000),
  cacheRead: fc.nat(40_000),
  cacheWrite5m: fc.nat(10_000),
  cacheWrite1h: fc.nat(10_000),
});
const anyModifiers = fc.record({
  speed: fc.constantFrom(null, 'standard', 'fast'),
  serviceTier: fc.constantFrom(null, 'standard', 'batch'),
  inferenceGeo: fc.constantFrom(null, 'global', 'us'),
});
const anyModel = fc.constantFrom(...MODELS);
const anyDay = fc
  .date({ min: new Date('2025-01-01'), max: new Date('2027-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());

describe('for any usage', () => {
  test('the cost is an integer and grows with every class', () => {
    fc.assert(
      fc.property(anyModel, anyTokens, anyModifiers, anyDay, (model, tokens, modifiers, at) => {
        const cost = costOf(model, { ...tokens, ...modifiers }, at) ?? Number.NaN;
        expect(Number.isSafeInteger(cost)).toBe(true);
        for (const name of Object.keys(tokens) as (keyof TokenCounts)[]) {
          const more = costOf(model, { ...tokens, ...modifiers, [name]: tokens[name] + 1 }, at) ?? Number.NaN;
          expect(more).toBeGreaterThan(cost);
        }
      }),
    );
  });

  test('list prices add up exactly; multiplied ones to within half a nano-dollar per message', () => {
    fc.assert(
      fc.property(anyModel, anyTokens, anyTokens, anyModifiers, anyDay, (model, a, b, modifiers, at) => {
        const halves = (tokens: TokenCounts): TokenCounts => ({ ...tokens, input: tokens.input >> 1, cacheRead: 0 });
        const [left, right] = [halves(a), halves(b)];
        const both = {
          input: left.input + right.input,
          output: left.output + right.output,
          cacheRead: 0,
          cacheWrite5m: left.cacheWrite5m + right.cacheWrite5m,
          cacheWrite1h: left.cacheWrite1h + right.cacheWrite1h,
        };
        const plain = (tokens: TokenCounts) => costOf(model, tokens, at) ?? Number.NaN;
        expect(plain(both)).toBe(plain(left) + plain(right));
        const cost = (tokens: TokenCounts) => costOf(model, { ...tokens, ...modifiers }, at) ?? Number.NaN;
        expect(Math.abs(cost(both) - cost(left) - cost(right))).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('multipliers commute: the cost is the list price times their product, rounded once', () => {
    fc.assert(
      fc.property(anyModel, anyTokens, anyModifiers, anyDay, (model, tokens, modifiers, at) => {
        const list = BigInt(costOf(model, tokens, at) ?? -1);
        const fast = BigInt(costOf(model, { ...tokens, speed: 'fast' }, at) ?? -1);
        const times = modifiers.speed === 'fast' && list > 0n ? fast / list : 1n;
        let [num, den] = [times, 1n];
        if (modifiers.serviceTier === 'batch') den *= 2n;
        if (modifiers.inferenceGeo === 'us') [num, den] = [num * 11n, den * 10n];
        expect(costOf(model, { ...tokens, ...modifiers }, at)).toBe(Number((2n * list * num + den) / (2n * den)));
      }),
    );
  });
});
