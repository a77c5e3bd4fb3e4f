import { expect, test } from 'vitest';
import { freeFirst } from './batches.ts';

test('batches that are being indexed come as soon as they are free', () => {
  const busy = new Set(['b', 'c']);
  const seen: string[] = [];
  for (const batch of freeFirst(['a', 'b', 'c', 'd', 'e'], (one) => busy.has(one))) {
    seen.push(batch);
    if (batch === 'd') busy.delete('b');
  }
  expect(seen).toEqual(['a', 'd', 'b', 'e', 'c']);
});

test('batches keep their order if all or none are being indexed', () => {
  expect([...freeFirst([1, 2, 3], () => true)]).toEqual([1, 2, 3]);
  expect([...freeFirst([1, 2, 3], () => false)]).toEqual([1, 2, 3]);
});
