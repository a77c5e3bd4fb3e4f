import { expect, test } from 'vitest';
import { NO_COST_SUMS } from '../../test/browser/support/make-rows.ts';
import {
  describeChange,
  describeSpan,
  labelOfSpan,
  modelsWithin,
  rankModels,
  spansBetween,
  unitOfSpans,
} from './cost-view.ts';

const ROW = { ...NO_COST_SUMS, messages: 1, sessions: 1 };
const DAYS = [
  { ...ROW, day: '2026-11-14', model: 'claude-haiku-5-5', cost_nanos: 1e9 },
  { ...ROW, day: '2026-11-14', model: 'claude-opus-5-5', cost_nanos: 2e9 },
  { ...ROW, day: '2026-11-15', model: 'claude-haiku-5-5', cost_nanos: 5e9 },
];

test('models keep their rank over the whole period on every day', () => {
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

test.each([
  ['2026-11-03', 'day', '3 Nov'],
  ['2025-11-03', 'week', '3 Nov'],
  ['2020-01-05', 'month', 'Jan 2020'],
])('columns from %s on are %ss, and show when they begin', (first, unit, label) => {
  const spans = spansBetween(first, '2026-11-16');
  expect(unitOfSpans(spans)).toBe(unit);
  expect(labelOfSpan(spans[0] ?? { first: '', last: '' })).toBe(label);
});
