import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scaled } from '../../../test/support/sizes.ts';
import { compilePattern } from '../pattern.ts';
import { compileRegex, findRegex } from './find-regex.ts';
import { parseRegex } from './parse-regex.ts';
import { requiredTexts, textsOfPart } from './required-texts.ts';

describe('the texts that a pattern requires', () => {
  it.each([
    ['TypeError', ['typeerror']],
    ['time(d )?out: \\d+', ['out: ']],
    ['wor+king', ['rking']],
    ['[Ee]rror', ['error']],
    ['error|warning', ['error', 'warning']],
    ['(?:failed|refused) to', ['failed', 'refused']],
    ['(?:no|refused) to', [' to']],
    ['(?:error)+', ['error']],
    ['(?:error)?', []],
    ['^import .* from', ['import ']],
    ['ab|abc', []],
    ['say "hello"', ['hello']],
    ['ca\u212aes', []],
    ['1\\.5e\\+21', []],
    ['123456', ['123456']],
  ])('of /%s/ are %j', (source, texts) => {
    expect(requiredTexts(parseRegex(source))).toEqual(texts);
  });

  it.each([
    ['=> {"Ferry', ['ferry']],
    ['C:\\Users\\ada', ['users']],
    ['日本', []],
    ['\u212aelvin', ['elvin']],
  ])('of *%s* are %j', (part, texts) => {
    expect(textsOfPart(part)).toEqual(texts);
  });

  it('are found in a pattern with deeply nested repeats', () => {
    const nested = (inner: string) => `${'('.repeat(45)}${inner}${')+'.repeat(45)}`;
    expect(requiredTexts(parseRegex(nested('error')))).toEqual(['error']);
  });

  /** Same as the databases. */
  const lower = (text: string) => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  const letters = fc.constantFrom('a', 'b', 'A', 'K', 'k', '\u212a', '\u0130', 'i', 'ß', '"', '1', ' ');
  const text = fc.array(letters, { maxLength: 30 }).map((list) => list.join(''));

  it('are in every text that matches', () => {
    const atom = fc.constantFrom(
      'a',
      'b',
      'K',
      'i',
      '[kK]',
      '[k\u212a]',
      '.',
      '(?:abk|bka)',
      '(?:ab|a)',
      '1',
      '"',
      '^',
    );
    const times = fc.constantFrom('', '', '', '*', '+', '?', '{2}');
    const piece = fc.tuple(atom, times).map(([one, often]) => (one === '^' ? one : one + often));
    const source = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(source, fc.boolean(), text, (pattern, isCaseSensitive, where) => {
        const regex = parseRegex(pattern);
        const needed = requiredTexts(regex);
        if (needed.length === 0 || findRegex(compileRegex(regex, isCaseSensitive), where, 1).length === 0) return;
        expect(needed.some((one) => lower(where).includes(one))).toBe(true);
      }),
      { numRuns: scaled(1_500) },
    );
  });

  it('are in every text that contains the part, which is found at its position', () => {
    fc.assert(
      fc.property(text, text, text, (before, part, after) => {
        if (part.length < 2) return;
        const where = before + part + after;
        const texts = textsOfPart(part);
        const find = compilePattern({ kind: 'pattern', source: part, isRegex: false, isCaseSensitive: false, texts });
        const [first] = find(where, 1);
        expect(where.slice(first?.from, first?.to)).toHaveLength(part.length);
        if (texts.length > 0) expect(texts.some((one) => lower(where).includes(one))).toBe(true);
      }),
      { numRuns: scaled(1_500) },
    );
  });
});
