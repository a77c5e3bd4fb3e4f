import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rankTexts } from './fuzzy.ts';

const TEXTS = [
  'Sweep the floor',
  'Fix parseLine in the engine',
  'Исправить кассу',
  'Line the parser shelves',
  '100 % ???',
];
const find = (typed: string) => rankTexts(TEXTS, typed).map((at) => TEXTS[at]);

it('returns every text for an empty query', () => {
  expect(find('  ')).toEqual(TEXTS);
});

it('finds words with missing letters and in any order, the closest first', () => {
  expect(find('prsln')).toEqual(['Fix parseLine in the engine']);
  expect(find('engine fix')).toEqual(['Fix parseLine in the engine']);
  expect(find('касс')).toEqual(['Исправить кассу']);
  expect(find('line')[0]).toBe('Line the parser shelves');
  expect(find('zebra')).toEqual([]);
});

it('finds punctuation literally', () => {
  expect(find('???')).toEqual(['100 % ???']);
});

it('returns existing positions once, whatever is typed', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.string({ maxLength: 12 }), (texts, typed) => {
      const found = rankTexts(texts, typed);
      expect(new Set(found).size).toBe(found.length);
      for (const at of found) expect(texts[at]).toBeDefined();
    }),
  );
});
