import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitWidth, padWidth, textWidth, wrapWidth } from './text-width.ts';

describe('text width', () => {
  it.each([
    ['abc', 3],
    ['日本語', 6],
    ['👩‍👩‍👧', 2],
    ['é', 1],
    ['e\u0301', 1],
    ['한글', 4],
    ['❤️', 2],
    ['…', 1],
  ])('%s takes %i columns', (text, width) => {
    expect(textWidth(text)).toBe(width);
  });

  it('counts the same characters with and without the segmenter of the system', () => {
    const unit = fc.oneof(
      fc.constantFrom(
        'a',
        'é',
        'ж',
        'ω',
        '日',
        'か',
        '한',
        '→',
        '☺',
        '🔥',
        '🧑',
        '\u0301',
        '\u200d',
        '\ufe0f',
        '🏽',
        '🇩',
        '\u1161',
      ),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    );
    const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 12 }), (units) => {
        const text = units.join('');
        const pieces = wrapWidth(text.replaceAll(/\s/g, ''), 1).split('\n').filter(Boolean);
        expect(pieces).toEqual([...graphemes.segment(text.replaceAll(/\s/g, ''))].map(({ segment }) => segment));
      }),
      { numRuns: 2_000 },
    );
  });

  it('keeps words when wrapping, and breaks only words longer than a line', () => {
    expect(wrapWidth('日本語 is a name of a language', 10)).toBe('日本語 is\na name of\na language');
    expect(wrapWidth('a incomprehensible b', 6)).toBe('a\nincomp\nrehens\nible b');
    expect(wrapWidth('日本語日本語', 5)).toBe('日本\n語日\n本語');
    expect(wrapWidth('', 6)).toBe('');
  });

  it('never exceeds the width when wrapping, and loses no character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 2, max: 40 }), (text, columns) => {
        const lines = wrapWidth(text.replaceAll('\n', ''), columns).split('\n');
        for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(columns);
        expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(/[ \n]/g, ''));
      }),
    );
  });

  it('never exceeds the width when fitting', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 40 }), (text, columns) => {
        expect(textWidth(fitWidth(text, columns))).toBeLessThanOrEqual(columns);
      }),
    );
  });

  it('pads on either side', () => {
    expect(padWidth('日', 4)).toBe('日  ');
    expect(padWidth('日', 4, 'right')).toBe('  日');
  });
});
