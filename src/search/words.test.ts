import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../test/support/any-character.ts';
import { NAME_END } from '../domain/search.ts';
import { MAX_WORD_CHARS, toIndexText, wordsOf } from './words.ts';

describe('words', () => {
  it.each([
    ['src/store/session_repo.test.ts', 'src store session repo test ts', ''],
    ['parseLine', 'parseline', `parse line ${NAME_END}`],
    ['HTTPServer2Go', 'httpserver2go', `http server2 go ${NAME_END}`],
    ['3f2a91c0', '3f2a91c0', ''],
    ['npm run build:web', 'npm run build web', ''],
    ['v2.1.74-beta', 'v2 1 74 beta', ''],
    ['Über die Straße', 'uber die straße', ''],
    ['cafe\u0301 ﬁne ＡＢＣ', 'cafe fine abc', ''],
    ['größeÄndern', 'großeandern', `große andern ${NAME_END}`],
    ['getUser setName', 'getuser setname', `get user ${NAME_END} set name ${NAME_END}`],
    ['日本語', '日本 本語 語', ''],
    ['日', '日', ''],
    ['한국어 text', '한국 국어 어 text', ''],
    ['done ✅👍', 'done ✅ 👍', ''],
    ['1→import →', '1 import', ''],
    ['ΟΔΟΣ οδος', 'οδοσ οδοσ', ''],
  ])('of %s', (text, words, parts) => {
    expect(wordsOf(text).join(' ')).toBe(words);
    expect(toIndexText(text).parts).toBe(parts);
  });

  it('never exceed the maximum length and contain nothing that an engine could parse as syntax', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 300 }), (text) => {
        const parts = toIndexText(text).parts.replaceAll(NAME_END, '').split(' ').filter(Boolean);
        for (const word of [...wordsOf(text), ...parts]) {
          expect(word.length).toBeLessThanOrEqual(MAX_WORD_CHARS);
          expect(word).toMatch(/^[\p{L}\p{N}\p{M}\p{Extended_Pictographic}]+$/u);
        }
      }),
    );
  });

  it('are the same with and without non-ASCII characters in the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), (text) => {
        expect(wordsOf(`${text} é`).slice(0, -1)).toEqual(wordsOf(text));
        expect(toIndexText(`${text} é`).parts).toBe(toIndexText(text).parts);
      }),
    );
  });

  it('take linear time for a file in one line', () => {
    const { words, parts } = toIndexText(`${'aB3'.repeat(200_000)} end`);
    expect(words).toBe(`${'aB3'.repeat(200_000).slice(0, MAX_WORD_CHARS)} end`);
    expect(parts).toBe('');
  });
});
