import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../test/support/any-character.ts';
import { escapeJson, fitWidth, padWidth, textWidth, visible, visibleLine, wrapWidth } from './terminal-text.ts';

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
      fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 }),
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

const HOSTILE = [
  '\u001b[31mred',
  '\u001b]0;title\u0007',
  '\u001b]52;c;ZXZpbA==\u0007',
  '\u001bPq#0\u001b\\',
  '\u009b2J',
  'safe\rEVIL',
  'abc\b\b\bxyz',
  '\u202egnp.exe',
  '\u2066hidden\u2069',
  'tag\u{e0041}\u{e007f}',
  'trailing\u001b',
  'zero\u200bwidth',
  'line\u2028separator',
  '\u0000\u007f\u0085',
  '\ufeffbom',
];

describe('visible', () => {
  it.each(HOSTILE)('I1: leaves no control character in %j', (text) => {
    expect(visible(text)).toMatch(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u);
  });

  it('I1: leaves only line ends, tabs and the emoji joiner of all control characters', () => {
    const units = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 60 });
    fc.assert(
      fc.property(units, (codes) => {
        const shown = visible(String.fromCharCode(...codes)).replaceAll(/[\n\t\u200d]/g, '');
        expect(shown).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
        expect(shown.isWellFormed()).toBe(true);
      }),
    );
  });

  it('leaves ordinary text unchanged', () => {
    const text = 'a\tb\nc — 日本語 👩‍👩‍👧 é';
    expect(visible(text)).toBe(text);
  });

  it('puts everything on one line on request', () => {
    expect(visibleLine(' a\r\n\tb\u2028c ')).toBe('a b c');
  });

  it('I1: JSON keeps its meaning without control characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        const json = escapeJson(JSON.stringify({ text }, null, 2));
        expect(JSON.parse(json)).toEqual({ text });
        expect(json.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
      }),
    );
    expect(escapeJson('"\u{1bca0}\u0600"')).toBe('"\\ud82f\\udca0\\u0600"');
    expect(escapeJson('"\u{e0041}"')).toBe('"\\udb40\\udc41"');
  });
});
