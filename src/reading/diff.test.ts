import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createBlame, type DiffLine, diffEdits, diffPatch, formatChange } from './diff.ts';

const diffOf = (before: string, after: string) => diffEdits([{ before, after }]);
const shown = ({ mark, text }: DiffLine) => `${mark}${text}`;

describe('the diff of two texts', () => {
  test.each([
    ['a\nb\nc', 'a\nx\nc', [' a', '-b', '+x', ' c']],
    ['', 'new\nfile\n', ['+new', '+file']],
    ['gone', '', ['-gone']],
    ['a\nb\nc\nd\ne', 'a\nc\nd\nx\ne', [' a', '-b', ' c', ' d', '+x', ' e']],
    ['1\n2\n3\n4\na', '1\n2\n3\n4\nb', [' 3', ' 4', '-a', '+b']],
    ['a\n1\n2\n3\n4\n5', 'b\n1\n2\n3\n4\n5', ['-a', '+b', ' 1', ' 2']],
    ['a\n1\n2\n3\n4\n5\n6\nb', '1\n2\n3\n4\n5\n6', ['-a', ' 1', ' 2', '…2 unchanged lines', ' 5', ' 6', '-b']],
    ['a\n1\n2\n3\n4\n5\nb', '1\n2\n3\n4\n5', ['-a', ' 1', ' 2', ' 3', ' 4', ' 5', '-b']],
    ['same', 'same', [' same']],
    ['a', 'a\na', [' a', '+a']],
  ])('%j to %j', (before, after, lines) => {
    expect(diffOf(before, after).lines.map(shown)).toEqual(lines);
  });

  // Regression: the page and the shared file counted every line between the first and the last change.
  test('counts only the lines that changed', () => {
    const before = Array.from({ length: 20 }, (_, at) => `line ${at}`);
    const after = before.with(0, 'first').with(19, 'last');
    expect(formatChange(diffOf(before.join('\n'), after.join('\n')))).toBe('+2 −2');
  });

  test('adds up several edits', () => {
    const diff = diffEdits([
      { before: 'a', after: 'b' },
      { before: '', after: 'c\nd' },
    ]);
    expect(formatChange(diff)).toBe('+3 −1');
  });

  test('marks changed words within a line', () => {
    const { lines } = diffOf('const total = sum(items);', 'const total = sumOf(items);');
    expect(lines.map(({ parts }) => parts?.filter(({ isChanged }) => isChanged).map(({ text }) => text))).toEqual([
      ['sum'],
      ['sumOf'],
    ]);
  });

  test('marks no words in lines without common words', () => {
    expect(diffOf('alpha', 'omega').lines.map(({ parts }) => parts)).toEqual([null, null]);
  });

  test('replaces the whole middle when a search would take too long', () => {
    const long = (word: string) => Array.from({ length: 20_000 }, (_, at) => `${word}${at}`).join('\n');
    const diff = diffOf(`same\n${long('a')}`, `same\n${long('b')}`);
    expect(diff).toMatchObject({ added: 20_000, removed: 20_000 });
    expect(diff.lines).toHaveLength(40_001);
  });
});

/** The length of the longest common subsequence, by the textbook algorithm. */
function commonLines(a: readonly string[], b: readonly string[]): number {
  const row = Array.from({ length: b.length + 1 }, () => 0);
  for (const line of a) {
    let diagonal = 0;
    for (let at = 1; at <= b.length; at += 1) {
      const above = row[at] ?? 0;
      row[at] = line === b[at - 1] ? diagonal + 1 : Math.max(above, row[at - 1] ?? 0);
      diagonal = above;
    }
  }
  return row[b.length] ?? 0;
}

const someLines = fc.array(fc.constantFrom('a', 'b', 'c', 'the same word', 'the other word', ' '), {
  minLength: 1,
  maxLength: 30,
});

test('removes and adds as few lines as possible, and only existing lines', () => {
  fc.assert(
    fc.property(someLines, someLines, (old, fresh) => {
      const { lines, added, removed } = diffOf(old.join('\n'), fresh.join('\n'));
      const common = commonLines(old, fresh);
      expect([removed, added]).toEqual([old.length - common, fresh.length - common]);
      for (const [mark, all] of [
        ['-', old],
        ['+', fresh],
      ] as const)
        expect(isSubsequence(lines.filter((line) => line.mark === mark || line.mark === ' ').map(textOf), all)).toBe(
          true,
        );
    }),
  );
});

test('the parts of a line add up to the line', () => {
  fc.assert(
    fc.property(someLines, someLines, (old, fresh) => {
      for (const { text, parts } of diffOf(old.join(' '), fresh.join(' ')).lines)
        if (parts !== null) expect(parts.map((part) => part.text).join('')).toBe(text);
    }),
  );
});

const textOf = ({ text }: DiffLine) => text;

function isSubsequence(part: readonly string[], whole: readonly string[]): boolean {
  let at = 0;
  for (const line of whole) if (line === part[at]) at += 1;
  return at === part.length;
}

test('a reported patch has line numbers, and a note about the lines between its hunks', () => {
  const { lines, added, removed } = diffPatch([
    { old_start: 3, new_start: 3, lines: [' a', '-the old word', '+the new word', '\\ No newline at end of file'] },
    { old_start: 20, new_start: 21, lines: ['+b'] },
  ]);
  expect([added, removed]).toEqual([2, 1]);
  expect(lines.map(({ mark, text, oldNumber, newNumber }) => [mark, text, oldNumber, newNumber])).toEqual([
    [' ', 'a', 3, 3],
    ['-', 'the old word', 4, undefined],
    ['+', 'the new word', undefined, 4],
    ['…', '16 unchanged lines', undefined, undefined],
    ['+', 'b', undefined, 21],
  ]);
  expect(lines[1]?.parts?.filter(({ isChanged }) => isChanged)).toEqual([{ text: 'old', isChanged: true }]);
});

test('a line comes from the latest change before it that added the same text', () => {
  const edit = (before: string, after: string) => diffEdits([{ before, after }]);
  const changes = [
    edit('const port = 1;\nlisten(port);', 'const port = 2;\nlisten(port);'),
    null,
    edit('', 'const port = 1;\n}'),
    edit('', 'const port = 1;\nlisten(port);\n}'),
  ];
  const blame = createBlame(changes);
  const from = changes[0]!.lines.map((line) => [line.mark, line.text, blame(0, line)]);
  expect(from).toEqual([
    ['-', 'const port = 1;', 2],
    ['+', 'const port = 2;', 0],
    [' ', 'listen(port);', 3],
  ]);
  expect(blame(2, { mark: ' ', text: '}', parts: null })).toBe(-1);
  expect(blame(3, { mark: ' ', text: 'import fs', parts: null })).toBe(-1);
});
