import fc from 'fast-check';
import { expect, test } from 'vitest';
import { labelEvery, roundTicks, toneOf } from './scale.ts';

test('ticks start at 0, are even and cover the largest value with a few lines', () => {
  expect(roundTicks(9.3)).toEqual([0, 2.5, 5, 7.5, 10]);
  expect(roundTicks(0)).toEqual([0]);
  fc.assert(
    fc.property(fc.double({ min: 1e-9, max: 1e12, noNaN: true }), (max) => {
      const ticks = roundTicks(max);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(max);
      expect(ticks.at(-2)).toBeLessThan(max);
      expect(ticks.length).toBeLessThanOrEqual(6);
    }),
  );
});

test('labels that would overlap are left out', () => {
  expect(labelEvery(30, 1_200, 40)).toBe(1);
  expect(labelEvery(30, 300, 40)).toBe(4);
});

test('series beyond the colors share the last one', () => {
  expect([0, 4, 5, 99].map(toneOf)).toEqual(['tone-1', 'tone-5', 'tone-6', 'tone-6']);
});
