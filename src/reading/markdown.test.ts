import { describe, expect, test } from 'vitest';
import { growthOf, LINEAR } from '../../test/support/growth.ts';
import { INLINE_CODE, parseInline, parseMarkdown, splitFences } from './markdown.ts';

const kinds = (text: string) => parseMarkdown(text).map((block) => block.kind);

describe('parseMarkdown', () => {
  test('parses paragraphs, headings, lists, quotes, tables, rules and fenced code', () => {
    const text = '# a\n\nb\nc\n\n- d\n  - e\n1. f\n\n> g\n\n---\n\n| h |\n|---|\n| i |\n\n```ts\nj\n\nk\n```\nl';
    expect(kinds(text)).toEqual(['heading', 'paragraph', 'list', 'quote', 'rule', 'table', 'code', 'paragraph']);
  });

  test('treats an unclosed fence as code up to the end', () => {
    expect(parseMarkdown('```\na\nb')).toEqual([{ kind: 'code', language: '', text: 'a\nb' }]);
  });

  test('keeps the depth, number and continuation lines of items', () => {
    expect(parseMarkdown('1. a\n   more\n  - b')).toEqual([
      {
        kind: 'list',
        items: [
          { depth: 0, marker: '1.', text: 'a\nmore', isChecked: null },
          { depth: 1, marker: '-', text: 'b', isChecked: null },
        ],
      },
    ]);
  });

  test('knows items with a box', () => {
    const [list] = parseMarkdown('- [ ] a\n- [x] b\n- [X] c\n- [x]\n- [y] d');
    expect(list?.kind === 'list' ? list.items.map(({ text, isChecked }) => [text, isChecked]) : []).toEqual([
      ['a', false],
      ['b', true],
      ['c', true],
      ['[x]', null],
      ['[y] d', null],
    ]);
  });

  test('treats HTML as text', () => {
    expect(parseMarkdown('<b>x</b>')).toEqual([{ kind: 'paragraph', text: '<b>x</b>' }]);
  });

  test('loses no characters of ordinary paragraphs', () => {
    expect(parseMarkdown('a  b\tc')).toEqual([{ kind: 'paragraph', text: 'a  b\tc' }]);
  });
});

describe('parseInline', () => {
  test('parses code, bold and emphasis', () => {
    expect(parseInline('a `b` **c** *d* e')).toEqual([
      { kind: 'text', text: 'a ' },
      { kind: 'code', text: 'b' },
      { kind: 'text', text: ' ' },
      { kind: 'strong', text: 'c' },
      { kind: 'text', text: ' ' },
      { kind: 'emphasis', text: 'd' },
      { kind: 'text', text: ' e' },
    ]);
  });

  test('struck words, and images as links to them', () => {
    expect(parseInline('~~old~~ ![a map](https://a.b/m.png) ~ ~~~x~~~')).toEqual([
      { kind: 'struck', text: 'old' },
      { kind: 'text', text: ' ' },
      { kind: 'link', text: 'a map', url: 'https://a.b/m.png' },
      { kind: 'text', text: ' ~ ~~~x~~~' },
    ]);
  });

  test('web addresses are links; other targets are text', () => {
    expect(parseInline('[Docs](https://a.b/c) and https://d.e/f. [x](javascript:alert)')).toEqual([
      { kind: 'link', text: 'Docs', url: 'https://a.b/c' },
      { kind: 'text', text: ' and ' },
      { kind: 'link', text: 'https://d.e/f', url: 'https://d.e/f' },
      { kind: 'text', text: '. ' },
      { kind: 'text', text: 'x' },
    ]);
  });

  test.each(['2 * 3 * 4', 'a_b_c', '**', '``', 'src/*.ts and src/*.js', 'snake__case', '`open'])(
    'leaves %j unchanged',
    (text) => {
      expect(parseInline(text)).toEqual([{ kind: 'text', text }]);
    },
  );

  test('splits typed text at its fences and leaves the rest unchanged', () => {
    expect(splitFences('# a\n\n```sh\nls\n```\n* b\n\n')).toEqual([
      { kind: 'paragraph', text: '# a\n' },
      { kind: 'code', language: 'sh', text: 'ls' },
      { kind: 'paragraph', text: '* b\n\n' },
    ]);
  });

  test('code in backticks on one line is not a block, and a block ends with a bare fence', () => {
    expect(splitFences('```npm test``` fails\nFix it.').map(({ kind }) => kind)).toEqual(['paragraph']);
    expect(parseInline('```npm test``` fails', INLINE_CODE).map(({ kind }) => kind)).toEqual(['code', 'text']);
    expect(parseMarkdown('````npm test```` fails\n\n**Fix** it.').map(({ kind }) => kind)).toEqual([
      'paragraph',
      'paragraph',
    ]);
    expect(parseMarkdown('```markdown\nRun:\n```sh\nls\n```\nb')).toEqual([
      { kind: 'code', language: 'markdown', text: 'Run:\n```sh\nls' },
      { kind: 'paragraph', text: 'b' },
    ]);
  });

  test('keeps asterisks in typed text', () => {
    expect(parseInline('**a** `b`', INLINE_CODE).map((part) => part.kind)).toEqual(['text', 'code']);
  });
});

test.each([
  '`',
  '*',
  '**',
  '_',
  '|',
  '- ',
  '> ',
  '#',
  '```\n',
  '[x](',
  '[',
  'https://',
  'https://a',
  ' ',
  '| |\n',
  '\n',
])('parses many repetitions of %j in linear time', (piece) => {
  const read = (text: string) => {
    for (const block of parseMarkdown(text)) if ('text' in block) parseInline(block.text);
  };
  expect(growthOf(10_000, (chars) => piece.repeat(Math.ceil(chars / piece.length)), read)).toBeLessThan(LINEAR);
});
