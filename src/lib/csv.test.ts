import { expect, it } from 'vitest';
import { toCsv } from './csv.ts';

it('quotes only what RFC 4180 requires', () => {
  expect(toCsv([['plain', 'a,b', 'say "hi"', 'two\nlines', 'ä 日本', '', null, -1.5, 1e15]])).toBe(
    'plain,"a,b","say ""hi""","two\nlines",ä 日本,,,-1.5,1000000000000000\r\n',
  );
});

it('writes numbers without an exponent, so that columns add up', () => {
  expect(toCsv([[5e-7, 1.5e-9, 0.000012, 3, 12.5, -0]])).toBe('0.0000005,0.0000000015,0.000012,3,12.5,0\r\n');
});

it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1'])('I7: makes %j text, not a formula', (text) => {
  expect(toCsv([[text]]).replaceAll('"', '')).toBe(`'${text}\r\n`);
});

it('ends every line with CRLF', () => {
  expect(toCsv([['a'], ['b']])).toBe('a\r\nb\r\n');
  expect(toCsv([])).toBe('');
});
