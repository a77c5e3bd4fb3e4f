import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { NO_TOKENS } from '../../domain/usage.ts';
import {
  BATCH,
  bookInfo,
  type LongContext,
  NANOS_PER_TOKEN_OF_ONE_DOLLAR,
  PRICE_BOOK,
  type PriceBook,
  type PriceRow,
  type Rates,
  US_ONLY,
  WEB_SEARCH_NANOS,
} from './book.ts';
import { withOverrides } from './overrides.ts';
import { priceUsage } from './price-usage.ts';

const NANOS_PER_CENT = 10_000_000;

/** Content of docs/prices.md. A test checks that the file is up to date. */
export function pricesPage(book: PriceBook): string {
  return `${[...intro(book), ...priceTable(book), ...rules(), ...ownFile()].join('\n')}\n`;
}

function intro(book: PriceBook): readonly string[] {
  const info = bookInfo(book);
  return [
    '# Prices',
    '',
    '<!-- Generated from src/transcript/price/rows.ts by `UPDATE_DOCS=1 npx vitest run src/transcript/price`. Edit the rows, not this page. -->',
    '',
    `Price book of ${info.date}: ${info.modelCount} models, ${info.rowCount} rows. Prices are in dollars per million tokens.`,
    'Each request is priced at the rate for its day (UTC), and each message stores the id of that rate.',
    'For a model without a row, tokens are counted and the cost is shown as unknown, never as zero.',
    '',
    '| source | checked | description |',
    '|---|---|---|',
    ...info.sources.map(({ id, date, about }) => `| ${id} | ${date ?? ''} | ${about} |`),
    '',
  ];
}

function priceTable(book: PriceBook): readonly string[] {
  return [
    '| rate | from | until | input | output | cache read | write 5m | write 1h | fast | source | remark |',
    '|---|---|---|---|---|---|---|---|---|---|---|',
    ...book.rows.flatMap((row) => [mainLine(row), ...(row.longContext ? [longLine(row, row.longContext)] : [])]),
    '',
    'Aliases:',
    '',
    '| model | aliases |',
    '|---|---|',
    ...otherNames(book),
    '',
  ];
}

function mainLine(row: PriceRow): string {
  const fast = row.fastMultiplier === 1 ? '' : `× ${row.fastMultiplier}`;
  return tableLine([
    row.id,
    row.from ?? '',
    row.until ?? '',
    ...ratesText(row.rates),
    fast,
    row.source,
    row.remark ?? '',
  ]);
}

function longLine(row: PriceRow, long: LongContext): string {
  const remark = `when the total input exceeds ${long.overInputTokens.toLocaleString('en-US')} tokens`;
  return tableLine([
    `${row.id}+long`,
    row.from ?? '',
    row.until ?? '',
    ...ratesText(long.rates),
    '',
    row.source,
    remark,
  ]);
}

function otherNames(book: PriceBook): readonly string[] {
  const names = new Map<string, Set<string>>();
  for (const { models } of book.rows) {
    const [first = '', ...others] = models;
    if (others.length > 0) names.set(first, new Set([...(names.get(first) ?? []), ...others]));
  }
  return [...names].map(([model, others]) => tableLine([model, [...others].join(', ')]));
}

function rules(): readonly string[] {
  const cents = WEB_SEARCH_NANOS / NANOS_PER_CENT;
  return [
    '## Rate modifiers',
    '',
    '| condition | effect | suffix of the rate id |',
    '|---|---|---|',
    '| the total input (fresh, cache read, cache write) exceeds the limit of a `+long` row | the whole request is priced at the rates of that row | `+long` |',
    '| `usage.speed` is `fast` | × the multiplier in the column `fast`; no effect if the row has none | `+fast` |',
    `| \`usage.service_tier\` is \`batch\` | × ${BATCH.num}/${BATCH.den} | \`${BATCH.mark}\` |`,
    `| \`usage.inference_geo\` is \`us\` | × ${US_ONLY.num}/${US_ONLY.den} | \`${US_ONLY.mark}\` |`,
    `| \`usage.server_tool_use.web_search_requests\` | + ${cents} cent each, without multipliers | |`,
    '',
    'Amounts are integers in nano-dollars. The multipliers of a message are combined first and its cost is rounded once,',
    'with half a nano-dollar rounded up. Cache writes without a stated lifetime are priced as 5-minute writes. Model names',
    'used by cloud providers are supported (`us.anthropic.…-v1:0`, `…@20250929`, `…[1m]`), as is a date after a known model',
    'name; nothing else is guessed.',
    '',
  ];
}

function ownFile(): readonly string[] {
  const example = {
    prices: [
      {
        models: ['my-model'],
        from: '2026-01-01',
        until: null,
        usdPerMillion: { input: 3, output: 15, cacheRead: 0.3, cacheWrite5m: 3.75, cacheWrite1h: 6 },
        longContext: { overInputTokens: 200_000, usdPerMillion: { input: 6, output: 22.5 } },
        fastMultiplier: 2,
        remark: 'our contract',
      },
    ],
  };
  return [
    '## Your own prices',
    '',
    'A JSON file in this format adds rows that take precedence over ours on the days they cover. Only `models` and the',
    '`input` and `output` rates are required. By default, a cache read costs a tenth of the input rate, a 5-minute write',
    '1.25 times and a 1-hour write twice the input rate.',
    '',
    '```json',
    JSON.stringify(example, null, 2),
    '```',
  ];
}

function ratesText(rates: Rates): readonly string[] {
  return [rates.input, rates.output, rates.cacheRead, rates.cacheWrite5m, rates.cacheWrite1h].map((nanos) =>
    String(nanos / NANOS_PER_TOKEN_OF_ONE_DOLLAR),
  );
}

function tableLine(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

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
