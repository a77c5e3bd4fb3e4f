import { describe, expect, it } from 'vitest';
import { nextUlid, ulid } from './ids.ts';

describe('ulid', () => {
  it('sorts by time and has the format of a ULID', () => {
    const ids = [0, 1, 1_700_000_000_000, 1_763_200_000_000].map((ms) => ulid(new Date(ms)));
    for (const id of ids) expect(id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(ids.toSorted()).toEqual(ids);
    expect(ulid(new Date(1_469_918_176_385))).toMatch(/^01ARYZ6S41/);
  });

  it('keeps the order of calls within a millisecond and when the clock goes back', () => {
    const times = [2_000, 2_000, 2_000, 1_000, 2_000, 3_000, ...Array.from({ length: 200 }, () => 3_000)];
    const ids = times.map((ms) => nextUlid(new Date(1_800_000_000_000 + ms)));
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
  });
});
