import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { growthOf, LINEAR } from '../../test/support/growth.ts';
import { cutWords, sentencesOf } from './plain-text.ts';

// Kills a mutant that cut a character in half.
describe('a truncated text', () => {
  it('ends with a whole character', () => {
    expect(cutWords('abc🚢🚢', 5)).toBe('abc…');
    expect(cutWords('abc🚢🚢', 6)).toBe('abc🚢…');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.integer({ min: 2, max: 40 }), (text, max) => {
        fc.pre(!text.includes('\ufffd'));
        const cut = cutWords(text, max);
        expect(cut.isWellFormed()).toBe(true);
        expect(cut).not.toContain('\ufffd');
        expect(cut.length).toBeLessThanOrEqual(max);
      }),
    );
  });
});

it('sentences of a line with many abbreviations are found in linear time', () => {
  expect(growthOf(5_000, (times) => 'e.g. '.repeat(times), sentencesOf)).toBeLessThan(LINEAR);
});
