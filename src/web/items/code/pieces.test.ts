import { expect, test } from 'vitest';
import * as fc from 'fast-check';
import { piecesOf } from './pieces.ts';

test('a line is cut where a token or a changed word begins or ends', () => {
  const parts = [
    { text: 'const a', isChanged: false },
    { text: 'b = 1', isChanged: true },
  ];
  const tokens = [['keyword', 'const'] as const, [null, ' ab = '] as const, ['number', '1'] as const];
  expect(piecesOf({ text: 'const ab = 1', parts }, tokens)).toEqual([
    { text: 'const', kind: 'keyword', isChanged: false },
    { text: ' a', kind: null, isChanged: false },
    { text: 'b = ', kind: null, isChanged: true },
    { text: '1', kind: 'number', isChanged: true },
  ]);
});

test('tokens of another text are not used', () => {
  expect(piecesOf({ text: 'abc', parts: null }, [['keyword', 'ab']])).toEqual([
    { text: 'abc', kind: null, isChanged: false },
  ]);
});

test('the pieces add up to the line', () => {
  const cuts = fc.array(fc.nat(12));
  fc.assert(
    fc.property(fc.string(), cuts, cuts, (text, partCuts, tokenCuts) => {
      const parts = cut(text, partCuts).map((part, at) => ({ text: part, isChanged: at % 2 === 0 }));
      const tokens = cut(text, tokenCuts).map((token) => ['name', token] as const);
      const pieces = piecesOf({ text, parts }, tokens);
      expect(pieces.map((piece) => piece.text).join('')).toBe(text);
    }),
  );
});

function cut(text: string, lengths: readonly number[]): readonly string[] {
  const parts: string[] = [];
  let at = 0;
  for (const length of lengths) {
    parts.push(text.slice(at, at + length));
    at += length;
  }
  return [...parts, text.slice(at)];
}
