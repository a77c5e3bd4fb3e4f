import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimateTokens, fittingEnd } from './slice.ts';

const texts = fc
  .array(fc.constantFrom('a word ', 'é', '日本', '😀', '\n', '    \n', 'x'.repeat(300)))
  .map((parts) => parts.join(''));

describe('a token budget', () => {
  it('is kept by every piece, and the pieces together are the text', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 2, max: 200 }), (text, tokens) => {
        let joined = '';
        for (let from = 0; from < text.length; ) {
          const end = fittingEnd(text, from, tokens);
          expect(end).toBeGreaterThan(from);
          const piece = text.slice(from, end);
          expect(piece.isWellFormed()).toBe(true);
          expect(estimateTokens(piece)).toBeLessThanOrEqual(tokens);
          joined += piece;
          from = end;
        }
        expect(joined).toBe(text);
      }),
    );
  });

  it('ends at a line if one is near', () => {
    expect(fittingEnd('one\ntwo\nthree four five', 0, 4)).toBe('one\ntwo\n'.length);
    expect(fittingEnd('no lines here', 0, 3)).toBe(9);
  });

  it('makes progress even without a budget', () => {
    expect(fittingEnd('😀😀', 0, 0)).toBe('😀'.length);
  });
});
