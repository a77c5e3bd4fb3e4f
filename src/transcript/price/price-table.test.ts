import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { NO_TOKENS } from '../../domain/usage.ts';
import { PRICE_BOOK } from './book.ts';
import { withOverrides } from './overrides.ts';
import { priceUsage } from './price-usage.ts';
import { pricesPage } from './price-table.ts';

const PAGE = new URL('../../../docs/prices.md', import.meta.url);

test('docs/prices.md is up to date', () => {
  const page = pricesPage(PRICE_BOOK);
  if (process.env['UPDATE_DOCS'] !== undefined) writeFileSync(PAGE, page);
  expect(readFileSync(PAGE, 'utf8')).toBe(page);
});

test('the example on the page is a valid file', () => {
  const [, example = ''] = /```json\n([\s\S]*?)```/.exec(pricesPage(PRICE_BOOK)) ?? [];
  const book = withOverrides(PRICE_BOOK, JSON.parse(example));
  const tokens = { ...NO_TOKENS, input: 1, output: 1, webSearches: 0, webFetches: 0, thinkingTokens: null };
  const usage = { ...tokens, serviceTier: null, speed: 'fast', inferenceGeo: null };
  expect(priceUsage('my-model', usage, '2026-06-01', book)).toEqual({
    costNanos: 36_000,
    rateId: 'user:my-model@2026-01-01+fast',
  });
});
