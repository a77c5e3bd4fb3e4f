import { expect, test } from 'vitest';
import { shiftRows } from './row-measurements.ts';

/** Start and height of rows, one below the other. */
function stack(heights: readonly number[], top = 12): number[] {
  let start = top;
  return heights.flatMap((height) => {
    const row = [start, height];
    start += height;
    return row;
  });
}

test('rows below changed ones move by the sum of the changes above them', () => {
  const heights = [10, 20, 30, 40, 50];
  for (const changed of [[0], [4], [1, 3], [3, 1, 0, 4], [2, 2]]) {
    const flat = new Float64Array([...stack(heights), 99, 99]);
    const after = heights.map((height, row) => (changed.includes(row) ? height + 7 * (row + 1) : height));
    shiftRows(flat, heights.length, new Set(changed), (row) => after[row]);
    expect([...flat]).toEqual([...stack(after), 99, 99]);
  }
});
