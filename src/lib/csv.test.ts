import { expect, it } from 'vitest';
import { toCsv } from './csv.ts';

it('quotes only what RFC 4180 requires', () => {
  expect(toCsv([['plain', 'a,b', 'say "hi"', 'two\nlines', 'ä 日本', '', null, -1.5, 1e15]])).toBe(
    'plain,"a,b","say ""hi""","two\nlines",ä 日本,,,-1.5,1000000000000000\r\n',
  );
});

it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1'])('I7: makes %j text, not a formula', (text) => {
  expect(toCsv([[text]]).replaceAll('"', '')).toBe(`'${text}\r\n`);
});

it('ends every line with CRLF', () => {
  expect(toCsv([['a'], ['b']])).toBe('a\r\nb\r\n');
  expect(toCsv([])).toBe('');
});
