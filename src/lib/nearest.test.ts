import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nearest } from './nearest.ts';

describe('nearest', () => {
  test.each([
    ['sesions', ['session', 'sessions', 'search'], ['sessions', 'session']],
    ['sessoins', ['sessions'], ['sessions']],
    ['COST', ['cost', 'costs'], ['cost', 'costs']],
    ['frobnicate', ['sessions', 'cost'], []],
    ['', ['a'], []],
    // Far-fetched suggestions.
    ['x', ['y', 'long'], []],
    ['help', ['shell', 'tool'], []],
  ])('%j in %j is %j', (word, candidates, found) => {
    expect(nearest(word, candidates)).toEqual(found);
  });

  test('finds a word itself and a word with two swapped letters', () => {
    const letters = fc.string({ minLength: 4, maxLength: 30, unit: fc.constantFrom('a', 'b', 'c', 'd', 'e') });
    fc.assert(
      fc.property(letters, fc.nat(), (word, where) => {
        const at = where % (word.length - 1);
        const swapped = `${word.slice(0, at)}${word[at + 1]}${word[at]}${word.slice(at + 2)}`;
        expect(nearest(swapped, [`${word}zzzz`, word])[0]).toBe(word);
        expect(nearest(word, [word])).toEqual([word]);
      }),
    );
  });

  test('stops comparing long names early when they differ too much', () => {
    expect(nearest('a'.repeat(20_000), ['b'.repeat(20_000)])).toEqual([]);
  });
});
