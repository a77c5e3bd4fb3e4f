import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bar, sparkline } from './chart.ts';

it('draws bars in eighths of a column', () => {
  expect([0, 1 / 64, 1 / 16, 0.5, 0.99, 1, 2].map((share) => bar(share, 8))).toEqual([
    '',
    '▏',
    '▌',
    '████',
    '███████▉',
    '████████',
    '████████',
  ]);
  expect(bar(1, 0)).toBe('');
});

it('never exceeds its columns, and a larger value is never shorter', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(share, share, fc.integer({ min: 1, max: 60 }), (a, b, columns) => {
      const [less, more] = [bar(Math.min(a, b), columns), bar(Math.max(a, b), columns)];
      expect(more.length).toBeLessThanOrEqual(columns);
      expect(more.length).toBeGreaterThanOrEqual(less.length);
    }),
  );
});

it('scales a sparkline to its largest value', () => {
  expect(sparkline([0, 1, 4, 8])).toBe('▁▂▅█');
  expect(sparkline([])).toBe('');
});
