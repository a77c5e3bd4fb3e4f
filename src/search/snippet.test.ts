import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findWords, SearchedText } from './find-words.ts';
import { snippetOf } from './snippet.ts';

const found = (text: string, ...words: string[]) =>
  words.map((word) => findWords(new SearchedText(text), { kind: 'text', words: [word], isPrefix: false }, 20));
const marked = (text: string, ...words: string[]) => {
  const { snippet, highlights } = snippetOf(text, found(text, ...words));
  return highlights
    .toReversed()
    .reduce((line, [from, to]) => `${line.slice(0, from)}[${line.slice(from, to)}]${line.slice(to)}`, snippet);
};

describe('a snippet', () => {
  it.each([
    ['The tests  pass\n\nnow', ['tests', 'now'], 'The [tests] pass [now]'],
    ['getUserName()', ['user'], 'get[User]Name()'],
    ['nothing', ['other'], 'nothing'],
    // Color codes in program output are not part of its text.
    ['\u001b[1m\u001b[31mred\u001b[39m\u001b[22m alert', ['alert'], 'red [alert]'],
    ['a.b (c)', ['b', 'c'], 'a.[b] ([c])'],
  ])('of %j for %j', (text, words, expected) => {
    expect(marked(text, ...words)).toBe(expected);
  });

  it('surrounds the rarest word and shows where it was cut', () => {
    const text = `${'word '.repeat(100)}rare ${'word '.repeat(100)}`;
    const line = marked(text, 'word', 'rare');
    expect(line).toMatch(/^….*\[rare\].*…$/);
  });

  it('does not start or end inside a word, nor between a name and its value', () => {
    const secret = 'q7'.repeat(20);
    const torn = Array.from({ length: 120 }, (_, gap) => {
      const filler = 'ab '.repeat(60).slice(0, gap);
      const before = marked(`${'x '.repeat(100)}password: ${secret} ${filler} rare ${'word '.repeat(100)}`, 'rare');
      const after = marked(`rare ${'word '.repeat(30)}${filler} ${secret} end`, 'rare');
      const isBeforeTorn = before.includes('q7') && !before.includes(`password: ${secret}`);
      return isBeforeTorn || (after.includes('q7') && !after.includes(secret)) ? [before, after] : [];
    });
    expect(torn.flat()).toEqual([]);
  });

  it('marks only matches inside it, in order, and never splits a character', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '👍', 'é', '日'), maxLength: 600 });
    fc.assert(
      fc.property(text, (whole) => {
        const { snippet, highlights } = snippetOf(whole, found(whole, 'a', 'ab', 'e'));
        expect(snippet.isWellFormed()).toBe(true);
        expect(snippet).not.toMatch(/[\n\t]| {2}/);
        let end = 0;
        for (const [from, to] of highlights) {
          expect(from).toBeGreaterThanOrEqual(end);
          expect(snippet.slice(from, to)).toMatch(/^[abé]+$/);
          end = to;
        }
      }),
    );
  });
});
