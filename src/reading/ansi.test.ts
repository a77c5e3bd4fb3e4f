import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AnsiSpan, readAnsi } from './ansi.ts';

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
