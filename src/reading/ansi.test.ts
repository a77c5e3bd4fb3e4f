import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AnsiSpan, plainOutput, readAnsi } from './ansi.ts';

const ESC = '\u001b[';
const brief = (text: string) =>
  readAnsi(text).map(({ text: part, color, isBold, isDim }: AnsiSpan) =>
    [part, color, isBold ? 'bold' : null, isDim ? 'dim' : null].filter((each) => each !== null).join('|'),
  );

describe('terminal output in colors', () => {
  test.each<[string, string[]]>([
    ['plain', ['plain']],
    [`${ESC}31mred${ESC}0m plain`, ['red|red', ' plain']],
    [`${ESC}1;92mok${ESC}22m ok`, ['ok|green|bold', ' ok|green']],
    [`${ESC}90mgray${ESC}m.`, ['gray|dim', '.']],
    [`${ESC}38;5;208morange${ESC}39m.`, ['orange|yellow', '.']],
    [`${ESC}38;2;10;200;30mgreen`, ['green|green']],
    [`${ESC}48;5;1;34mblue on red`, ['blue on red|blue']],
    [`${ESC}38;5;244mgray`, ['gray']],
    [`${ESC}2K${ESC}1Gdone`, ['done']],
    [`\u001b]8;;https://x\u0007link\u001b]8;;\u0007`, ['link']],
    ['10 %\r50 %\r100 %\nend\r\n', ['100 %\nend\n']],
  ])('%j', (text, spans) => {
    expect(brief(text)).toEqual(spans);
  });

  test.each<[string, string]>([
    [`npm install\n${ESC}1G${ESC}0K⠙${ESC}1G${ESC}0Kadded 3 packages`, 'npm install\nadded 3 packages'],
    ['Downloading 100 %\rDone', 'Done'],
    [`abcdef${ESC}3D${ESC}K!`, 'abc!'],
    [`abc\b\bX`, 'aXc'],
    [`one\ntwo\n${ESC}2A${ESC}2Kdone\nthree`, 'done\nthree\n'],
    [`a${ESC}5Gb`, 'a   b'],
    [`before${ESC}H${ESC}2Jafter`, 'before\nafter'],
    [`keep${ESC}Jthis`, 'keepthis'],
    [`${ESC}?25l${ESC}?2004hshown${ESC}?25h`, 'shown'],
    ['\u001b]0;title\u0007text', 'text'],
    ['\u001b]8;;https://x\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['\u001b]0;never ends', '0;never ends'],
    ['\u001bPq#0;2\u001b\\\u001b(B\u001b7x\u001b8', 'x'],
    ['\u009b2Kx', 'x'],
    ['ding\u0007 \u0000', 'ding \ufffd'],
    ['a\tb\r\nc', 'a\tb\nc'],
    // Wide characters take two columns, and what overwrites half of one leaves a blank for the other half.
    [`星図${ESC}5G|`, '星図|'],
    [`星図${ESC}2D!`, '星! '],
    [`星図${ESC}3D!`, ' !図'],
    [`🌟 ok${ESC}3Gno`, '🌟nok'],
    [`👩‍🚀${ESC}3Gx`, '👩‍🚀x'],
    [`星図${ESC}2G${ESC}K`, ' '],
    [`星図表${ESC}2G${ESC}2P.`, ' .表'],
    [`星図${ESC}2G${ESC}1K`, '  図'],
  ])('%j is shown as %j', (text, shown) => {
    expect(plainOutput(text)).toBe(shown);
  });

  test('cursor movement never produces more text than was written, and colors do not change the text', () => {
    const moves = fc
      .tuple(fc.nat(999_999), fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'J', 'K', 'P', 'f'))
      .map(([n, final]) => `${ESC}${n}${final}`);
    const part = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '\r', '\b', 'ü') });
    fc.assert(
      fc.property(fc.array(fc.oneof(moves, part)), (parts) => {
        const shown = plainOutput(parts.join(''));
        expect(shown.length).toBeLessThanOrEqual(parts.length * 600 + parts.join('').length);
        expect(shown).not.toMatch(/[\r\b\u001b]/);
        expect(
          readAnsi(parts.join(`${ESC}31m`))
            .map(({ text }) => text)
            .join(''),
        ).toBe(shown);
      }),
    );
  });

  test('all text is kept, whatever the codes', () => {
    const code = fc.array(fc.nat(300), { maxLength: 8 }).map((codes) => `${ESC}${codes.join(';')}m`);
    const part = fc.string({ unit: fc.constantFrom('a', ' ', '\n', 'ü', '😀') });
    fc.assert(
      fc.property(fc.array(fc.tuple(code, part)), (parts) => {
        const output = parts.flat().join('');
        const text = readAnsi(output)
          .map((span) => span.text)
          .join('');
        expect(text).toBe(parts.map(([, each]) => each).join(''));
      }),
    );
  });
});
