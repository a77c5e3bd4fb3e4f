import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffTexts } from './diff.ts';

const shown = (before: string, after: string) => diffTexts(before, after).map(({ mark, text }) => `${mark}${text}`);

describe('the difference of two texts', () => {
  it.each([
    ['a\nb\nc', 'a\nx\nc', [' a', '-b', '+x', ' c']],
    ['', 'new\nfile\n', ['+new', '+file']],
    ['gone', '', ['-gone']],
    ['a\nb\nc\nd\ne', 'a\nc\nd\nx\ne', [' a', '-b', ' c', ' d', '+x', ' e']],
    ['1\n2\n3\n4\na', '1\n2\n3\n4\nb', [' 3', ' 4', '-a', '+b']],
    ['same', 'same', [' same']],
  ])('%j to %j', (before, after, lines) => {
    expect(shown(before, after)).toEqual(lines);
  });

  it('holds every line that is in one text only', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(lines, lines, (old, fresh) => {
        const diff = diffTexts(old.join('\n'), fresh.join('\n'));
        const count = (wanted: string) => diff.filter(({ mark }) => mark === wanted).length;
        expect(fresh.length - old.length).toBe(count('+') - count('-'));
      }),
    );
  });

  it('gives up on line by line where that would take too long', () => {
    const long = (word: string) => Array.from({ length: 2_000 }, (_, at) => `${word}${at}`).join('\n');
    expect(diffTexts(long('a'), long('b'))).toHaveLength(4_000);
  });
});
