import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeJson, visible, visibleLine } from './visible.ts';

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
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const json = escapeJson(JSON.stringify({ text }, null, 2));
        expect(JSON.parse(json)).toEqual({ text });
        expect(json.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
      }),
    );
    expect(escapeJson('"\u{1bca0}\u0600"')).toBe('"\\ud82f\\udca0\\u0600"');
    expect(escapeJson('"\u{e0041}"')).toBe('"\\udb40\\udc41"');
  });
});
