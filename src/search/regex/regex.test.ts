import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileRegex, findRegex } from './find-regex.ts';
import { parseRegex, RegexError } from './parse-regex.ts';

const find = (source: string, text: string, isCaseSensitive = true) =>
  findRegex(compileRegex(parseRegex(source), isCaseSensitive), text, 10).map(({ from, to }) => text.slice(from, to));

describe('a regular expression', () => {
  it.each([
    ['abc', 'xabcabc', ['abc', 'abc']],
    ['a|bc|d', 'abcd', ['a', 'bc', 'd']],
    ['(ab)+', 'ababx ab', ['abab', 'ab']],
    ['[^a-c\\s]+', 'abcxyz d', ['xyz', 'd']],
    ['^\\w+$', 'one\ntwo three\nfour', ['one', 'four']],
    ['\\bcat\\b', 'cat concat cat.', ['cat', 'cat']],
    ['a{2,3}', 'aaaaa', ['aaa', 'aa']],
    ['x?', 'axb', ['x']],
    ['er{1}or: .*', 'error: no\nerror: yes', []],
    ['err?or: .*', 'error: no\nerror: yes', ['error: no', 'error: yes']],
    ['[]a]+', 'a]b', ['a]']],
    ['\\$\\{x\\}', 'is ${x}', ['${x}']],
    ['a.c', 'a\nc abc', ['abc']],
    ['(?:ab)*c', 'ababc', ['ababc']],
    ['[\\w-.]+@', 'a-b.c@x', ['a-b.c@']],
    ['[.-\\d]+', 'x1-2.', ['1-2.']],
    ['[a-c-]+', 'xb-d', ['b-']],
  ])('%s in %j', (source, text, expected) => {
    expect(find(source, text)).toEqual(expected);
  });

  it('ignores case on request', () => {
    expect(find('É[a-c]+', 'éABC', false)).toEqual(['éABC']);
  });

  it.each([
    ['(a', 0],
    ['a)', 1],
    ['[a', 0],
    ['a**', 2],
    ['*', 0],
    ['\\1', 0],
    ['a(?=b)', 1],
    ['a{5,2}', 1],
    ['a{101}', 1],
    ['ab\\', 2],
    ['[z-a]', 1],
  ])('%s is rejected at %i', (source, at) => {
    expect(() => parseRegex(source)).toThrow(RegexError);
    expect(() => parseRegex(source)).toThrow(expect.objectContaining({ at }));
  });

  it('takes linear time where backtracking would be exponential', () => {
    expect(find('(a+)+$', `${'a'.repeat(20_000)}b`)).toEqual([]);
    expect(find('(a|a)*(a|a)*b', 'a'.repeat(20_000))).toEqual([]);
  });

  it('repeats an empty group only once, however often it is nested', () => {
    expect(find(`${'('.repeat(40)}${'){99}'.repeat(40)}a`, 'ba')).toEqual(['a']);
  });

  it('finds a match exactly where JavaScript finds one', () => {
    const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '(?:ab|c)', '\\w', '(?:a|b)');
    const piece = fc.tuple(atom, fc.constantFrom('', '*', '+', '?', '{1,2}')).map((both) => both.join(''));
    const source = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(
        source,
        fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' ', '\n'), maxLength: 12 }),
        (regex, text) => {
          const theirs = [...text.matchAll(new RegExp(regex, 'gm'))].filter(([match]) => match !== '');
          const ours = findRegex(compileRegex(parseRegex(regex), true), text, 1);
          expect(ours.length > 0).toBe(theirs.length > 0);
          if (ours[0]) expect(ours[0].from).toBe(theirs[0]?.index);
        },
      ),
    );
  });
});
