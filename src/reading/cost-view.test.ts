import { expect, test } from 'vitest';
import { describeChange, describeSpan, modelsWithin, rankModels, spansBetween } from './cost-view.ts';

const ROW = {
  messages: 1,
  unpriced_messages: 0,
  tokens_in: 0,
  tokens_out: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  cache_write_1h_tokens: 0,
  cost_usd: 0,
  subagent_cost_nanos: 0,
  subagent_cost_usd: 0,
  sessions: 1,
};
const DAYS = [
  { ...ROW, day: '2026-11-14', model: 'claude-haiku-5-5', cost_nanos: 1e9 },
  { ...ROW, day: '2026-11-14', model: 'claude-opus-5-5', cost_nanos: 2e9 },
  { ...ROW, day: '2026-11-15', model: 'claude-haiku-5-5', cost_nanos: 5e9 },
];

test('models keep their rank, which is that of the whole period, on every day', () => {
  const ranked = rankModels(DAYS);
  expect(ranked.map(({ models, costNanos }) => [...models, costNanos])).toEqual([
    ['claude-haiku-5-5', 6e9],
    ['claude-opus-5-5', 2e9],
  ]);
  const span = { first: '2026-11-14', last: '2026-11-14' };
  expect(describeSpan(span, modelsWithin(DAYS, span, ranked))).toBe(
    '2026-11-14: $3.00 (haiku 5.5 $1.00, opus 5.5 $2.00)',
  );
  expect(describeSpan({ first: '2026-11-16', last: '2026-11-22' }, [])).toBe('2026-11-16 to 2026-11-22: no usage');
});

test('models beyond the colors of the chart are one entry, and no cost is lost', () => {
  const days = ['a', 'b', 'c', 'd'].map((model, at) => ({
    ...ROW,
    day: '2026-11-14',
    model,
    cost_nanos: model === 'd' ? null : 10 - at,
  }));
  expect(rankModels(days, 4).map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd']);
  const ranked = rankModels(days, 3);
  expect(ranked.map(({ name, rank, costNanos }) => [name, rank, costNanos])).toEqual([
    ['a', 0, 10],
    ['b', 1, 9],
    ['2 other models', 2, 8],
  ]);
  expect(ranked[2]).toMatchObject({ models: ['c', 'd'], isPriced: true });
  const span = { first: '2026-11-14', last: '2026-11-14' };
  expect(modelsWithin(days, span, ranked).map(({ costNanos }) => costNanos)).toEqual([10, 9, 8]);
});

test('a long period is cut into weeks or months, and no day is lost', () => {
  expect(spansBetween('2026-11-14', '2026-11-16')).toHaveLength(3);
  for (const first of ['2026-01-01', '2025-03-02', '2014-05-30']) {
    const spans = spansBetween(first, '2026-11-16');
    expect([spans[0]?.first, spans.at(-1)?.last]).toEqual([first, '2026-11-16']);
    expect(spans.length).toBeLessThan(160);
  }
  expect(spansBetween('2014-05-30', '2014-05-29')).toEqual([]);
});

test.each([
  [150, 100, '50% more'],
  [50, 100, '50% less'],
  [310, 100, '3.1 times as much'],
  [100, 100, 'no change'],
  [100.1, 100, '<1% more'],
  [100, 0, '–'],
  [null, 100, '–'],
])('%s after %s is %s', (now, before, text) => {
  expect(describeChange(now, before)).toBe(text);
});
