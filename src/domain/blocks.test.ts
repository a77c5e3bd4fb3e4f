import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blockAt, findBlocks, paceOf, startsAfresh } from './blocks.ts';
import { SLOT_MS, timeSlot } from './usage.ts';

const cells = (...times: readonly string[]) => times.map((time) => ({ slot: timeSlot(`2026-11-${time}:00Z`) }));
const hours = (times: readonly { readonly slot: number | null }[]) =>
  findBlocks(times).map(({ start, end }) =>
    [start, end].map((slot) => new Date(slot * SLOT_MS).toISOString().slice(8, 16)).join(' to '),
  );

describe('blocks of five hours', () => {
  it.each([
    ['the full hour of the first usage', ['15T09:45'], ['15T09:00 to 15T14:00']],
    ['usage until its end is part of it', ['15T09:45', '15T13:59'], ['15T09:00 to 15T14:00']],
    [
      'the next one starts with the first usage after its end',
      ['15T09:45', '15T14:00'],
      ['15T09:00 to 15T14:00', '15T14:00 to 15T19:00'],
    ],
    ['and at the full hour of that', ['15T09:45', '15T16:20'], ['15T09:00 to 15T14:00', '15T16:00 to 15T21:00']],
    [
      'whatever the order and the day',
      ['16T01:10', '15T22:30', '16T03:00'],
      ['15T22:00 to 16T03:00', '16T03:00 to 16T08:00'],
    ],
    ['nothing was used', [], []],
  ])('%s', (_, times, expected) => {
    expect(hours(cells(...times))).toEqual(expected);
  });

  it('every cell with a time is in exactly one block, blocks do not overlap, and sums are equal', () => {
    const cell = fc.record({ slot: fc.option(fc.nat(2_000)), tokens: fc.nat(1_000) });
    fc.assert(
      fc.property(fc.array(cell, { maxLength: 60 }), (all) => {
        const blocks = findBlocks(all);
        const timed = all.filter(({ slot }) => slot !== null);
        expect(new Set(blocks.flatMap((block) => block.cells))).toEqual(new Set(timed));
        expect(blocks.flatMap((block) => block.cells)).toHaveLength(timed.length);
        for (const [at, { start, end, firstUsed, lastUsed, cells: own }] of blocks.entries()) {
          expect([start % 4, end - start]).toEqual([0, 20]);
          expect(start).toBeGreaterThanOrEqual(blocks[at - 1]?.end ?? 0);
          const slots = own.map(({ slot }) => Number(slot));
          expect([Math.min(...slots), Math.max(...slots)]).toEqual([firstUsed, lastUsed]);
          expect(firstUsed - start).toBeLessThan(4);
          expect(lastUsed).toBeLessThan(end);
        }
      }),
    );
  });

  it('depend on nothing before a pause of five hours', () => {
    const slots = fc.array(fc.nat(400), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(slots, (all) => {
        const sorted = all.toSorted((a, b) => a - b);
        const from = sorted.findIndex((slot, at) => at > 0 && startsAfresh(sorted[at - 1] ?? 0, slot));
        if (from < 0) return;
        const later = sorted.slice(from).map((slot) => ({ slot }));
        const whole = findBlocks(sorted.map((slot) => ({ slot }))).filter(
          ({ start }) => start >= (findBlocks(later)[0]?.start ?? 0),
        );
        expect(whole).toEqual(findBlocks(later));
      }),
    );
  });

  it('the current one lasts until its end, used or not', () => {
    const blocks = findBlocks(cells('15T09:45', '15T16:20'));
    const at = (time: string) => blockAt(blocks, new Date(`2026-11-15T${time}Z`))?.start ?? null;
    expect([at('08:59:59'), at('09:00:00'), at('13:59:59'), at('14:00:00'), at('20:59:59'), at('21:00:00')]).toEqual([
      null,
      timeSlot('2026-11-15T09:00:00Z'),
      timeSlot('2026-11-15T09:00:00Z'),
      null,
      timeSlot('2026-11-15T16:00:00Z'),
      null,
    ]);
  });

  it('has a burn rate since the first usage, over at least a quarter of an hour', () => {
    const [block] = findBlocks(cells('15T09:30'));
    if (block === undefined) throw new Error('no block');
    const pace = (time: string) => paceOf(600, block, new Date(`2026-11-15T${time}Z`));
    expect(pace('10:30:00')).toEqual({ perMinute: 10, projected: 600 + 10 * 210 });
    expect(pace('09:31:00')).toEqual({ perMinute: 40, projected: 600 + 40 * 269 });
    expect(pace('14:00:00').projected).toBe(600);
  });
});
