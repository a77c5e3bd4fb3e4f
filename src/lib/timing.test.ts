import { describe, expect, it } from 'vitest';
import { backoffMs, mapConcurrently } from './timing.ts';

describe('backoffMs', () => {
  const pauses = { firstMs: 500, maxMs: 30_000 };

  it('doubles up to the maximum, after any number of failures', () => {
    expect([1, 2, 3, 7, 100, 10_000].map((failures) => backoffMs(failures, pauses))).toEqual([
      500, 1_000, 2_000, 30_000, 30_000, 30_000,
    ]);
    expect(backoffMs(0, pauses)).toBe(500);
  });

  it('supports another growth factor', () => {
    expect([1, 2, 3].map((failures) => backoffMs(failures, { firstMs: 1, maxMs: 1_000, factor: 4 }))).toEqual([
      1, 4, 16,
    ]);
  });

  it('randomizes within the second half of the pause', () => {
    expect(backoffMs(1, pauses, () => 0)).toBe(250);
    expect(backoffMs(1, pauses, () => 0.5)).toBe(375);
  });
});

describe('mapConcurrently', () => {
  it('keeps the order and respects the limit', async () => {
    let running = 0;
    let most = 0;
    const results = mapConcurrently([5, 1, 4, 2, 3], 2, async (n) => {
      most = Math.max(most, ++running);
      for (let turn = 0; turn < n; turn++) await Promise.resolve();
      running--;
      return n * 10;
    });
    expect(await Array.fromAsync(results)).toEqual([50, 10, 40, 20, 30]);
    expect(most).toBe(2);
  });

  it.each(['leaves', 'fails'])('has no work left running when its consumer %s early', async (how) => {
    let running = 0;
    const results = mapConcurrently([1, 9, 9, 9], 3, async (n) => {
      running++;
      for (let turn = 0; turn < n; turn++) await Promise.resolve();
      running--;
      if (how === 'fails') throw new Error('one');
    });
    const consume = async () => {
      for await (const _ of results) break;
    };
    if (how === 'fails') await expect(consume()).rejects.toThrow('one');
    else await consume();
    expect(running).toBe(0);
  });

  it('throws an error when its item is reached', async () => {
    const results = mapConcurrently([1, 2], 2, async (n) => {
      if (n === 2) throw new Error('two');
      return n;
    });
    expect((await results.next()).value).toBe(1);
    await expect(results.next()).rejects.toThrow('two');
  });
});
