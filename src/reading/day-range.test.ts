import { expect, test } from 'vitest';
import { dayRangeOf, withDayRange } from './day-range.ts';

test('days of a filter are read as they are written', () => {
  const range = { first: '2026-10-31', last: '2026-11-01' };
  const query = withDayRange('is:live after:7d', range);
  expect(query).toBe('is:live after:2026-10-31 before:2026-11-02');
  expect(dayRangeOf(query)).toEqual(range);
  expect(withDayRange(query, null)).toBe('is:live');
  expect(['after:7d', 'after:2026-10-31', '', 'before:2026-10-31'].map(dayRangeOf)).toEqual([null, null, null, null]);
});
