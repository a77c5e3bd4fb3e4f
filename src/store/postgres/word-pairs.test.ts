import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hashPair, hashWord, toFilter } from './word-pairs.ts';

function bitsOf(filter: string): (bit: number) => boolean {
  const bytes = Buffer.from(filter.slice(2), 'hex');
  return (bit) => (((bytes[bit >> 3] ?? 0) >> (bit & 7)) & 1) === 1;
}

const bitCount = (filter: string) => (filter.length - 2) * 4;

it('accepts every pair of a document', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1 })), (words) => {
      const hashes = words.map(hashWord);
      const pairs = hashes.slice(1).map((hash, at) => hashPair(hashes[at] ?? 0, hash));
      const filter = toFilter(pairs);
      const isSet = bitsOf(filter);
      expect(bitCount(filter)).toBeGreaterThan(0);
      for (const pair of pairs) expect(isSet(pair % bitCount(filter))).toBe(true);
    }),
  );
});

it('rules out most other pairs, in any order', () => {
  const words = Array.from({ length: 1_000 }, (_, at) => hashWord(`word${at}`));
  const pairs = words.slice(1).map((hash, at) => hashPair(words[at] ?? 0, hash));
  const filter = toFilter(pairs);
  const isSet = bitsOf(filter);
  const reversed = words.slice(1).map((hash, at) => hashPair(hash, words[at] ?? 0));
  const passed = reversed.filter((pair) => isSet(pair % bitCount(filter))).length;
  expect(passed / reversed.length).toBeLessThan(0.3);
});

it('does not grow without limit', () => {
  expect(bitCount(toFilter(Array.from({ length: 100_000 }, (_, at) => at)))).toBe(8_192);
});
