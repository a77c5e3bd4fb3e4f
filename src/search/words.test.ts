import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_WORD_CHARS, wordsOf } from './words.ts';

describe('words', () => {
  it.each([
    ['src/store/session_repo.test.ts', 'src store session repo test ts'],
    ['parseLine', 'parseline parse line'],
    ['HTTPServer2Go', 'httpserver2go http server2 go'],
    ['3f2a91c0', '3f2a91c0'],
    ['Über die Straße', 'über die straße'],
    ['日本語テスト', '日本語テスト'],
    ['npm run build:web', 'npm run build web'],
  ])('of %s', (text, words) => {
    expect(wordsOf(text).join(' ')).toBe(words);
  });

  it('are never longer than a word may be, and hold nothing that an engine could take for syntax', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        for (const word of wordsOf(text)) {
          expect(word.length).toBeLessThanOrEqual(MAX_WORD_CHARS);
          expect(word).toMatch(/^[\p{L}\p{N}\p{M}]+$/u);
        }
      }),
    );
  });

  it('are the same whether or not something beyond ASCII stands in the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), (text) => {
        expect(wordsOf(`${text} é`).slice(0, -1)).toEqual(wordsOf(text));
      }),
    );
  });
});
