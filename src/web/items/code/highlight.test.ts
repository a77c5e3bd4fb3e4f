import fc from 'fast-check';
import { expect, test } from 'vitest';
import { highlightLines } from './highlight.ts';
import { languageOfFence, languageOfPath } from './languages.ts';

const textOf = (lines: ReturnType<typeof highlightLines>) =>
  lines.map((tokens) => tokens.map(([, text]) => text).join('')).join('\n');

test('a token that spans lines is split', () => {
  expect(highlightLines('/* a\nb */ const x = 1;', 'typescript')).toEqual([
    [['comment', '/* a']],
    [
      ['comment', 'b */'],
      [null, ' '],
      ['keyword', 'const'],
      [null, ' x = '],
      ['number', '1'],
      [null, ';'],
    ],
  ]);
});

test('highlighting changes no character', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('"', "'", '`', '\n', '{', '<', '/', '*', '#', 'if ', '1', 'é', '\\', '$') }),
      fc.constantFrom('typescript', 'python', 'xml', 'bash', 'markdown', 'yaml', 'php'),
      (text, language) => {
        expect(textOf(highlightLines(text, language))).toBe(text);
      },
    ),
  );
});

test('every language of a file can be highlighted', () => {
  for (const path of ['a/b.ts', 'x.PY', 'c:\\d\\e.rs', 'Makefile', 'a.d.kt', 'x.lua', 'y.swift', 'z.toml', 'q.svelte'])
    expect(textOf(highlightLines('a', languageOfPath(path) ?? ''))).toBe('a');
  expect([languageOfPath('a.unknown'), languageOfPath(null), languageOfFence('constructor')]).toEqual([
    null,
    null,
    null,
  ]);
});
