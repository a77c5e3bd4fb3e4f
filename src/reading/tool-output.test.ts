import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCharacter } from '../../test/support/any-character.ts';
import {
  readBackgroundOutput,
  readNumberedLines,
  readSearchOutput,
  readTaskList,
  readWebSearchOutput,
} from './tool-output.ts';

describe('numbered lines of a file', () => {
  test('both separators, and remarks after the file', () => {
    expect(readNumberedLines('    9→a\n   10→\n\n<system-reminder>x</system-reminder>')).toEqual({
      lines: [
        { number: 9, text: 'a' },
        { number: 10, text: '' },
      ],
      remarks: '<system-reminder>x</system-reminder>',
    });
    expect(readNumberedLines('1→a\u2028b')?.lines).toEqual([{ number: 1, text: 'a\u2028b' }]);
    expect(readNumberedLines('1\ta\tb')?.lines).toEqual([{ number: 1, text: 'a\tb' }]);
  });

  test('a file that contains numbered lines itself keeps its own', () => {
    expect(readNumberedLines('1→7→x\n2→8→y')?.lines.map(({ text }) => text)).toEqual(['7→x', '8→y']);
  });

  test.each(['', 'File does not exist.', 'no number → here'])('%j has none', (output) => {
    expect(readNumberedLines(output)).toBeNull();
  });

  test('every file is restored as it was written', () => {
    const line = fc.string({ unit: anyCharacter }).map((text) => text.replaceAll(/[\r\n]/g, ''));
    fc.assert(
      fc.property(fc.array(line, { minLength: 1 }), fc.nat(100_000), (lines, first) => {
        const output = lines.map((text, at) => `${String(first + at).padStart(6)}→${text}`).join('\n');
        const read = readNumberedLines(output);
        expect(read?.lines).toEqual(lines.map((text, at) => ({ number: first + at, text })));
      }),
    );
  });
});

describe('found files', () => {
  test('content with numbers and context', () => {
    const output = 'src/a-1-b.ts-4-before\nsrc/a-1-b.ts:5:hit: x\nsrc/a-1-b.ts-6-after\n--\nsrc/c.ts:1:hit';
    expect(readSearchOutput(output, 'content').files).toEqual([
      {
        path: 'src/a-1-b.ts',
        count: 1,
        lines: [
          { number: 4, text: 'before', isMatch: false },
          { number: 5, text: 'hit: x', isMatch: true },
          { number: 6, text: 'after', isMatch: false },
        ],
      },
      { path: 'src/c.ts', count: 1, lines: [{ number: 1, text: 'hit', isMatch: true }] },
    ]);
  });

  test('content without numbers, and paths of Windows', () => {
    const { files } = readSearchOutput('C:\\a\\b.ts:  --red: 1\nC:\\a\\b.ts:7:x', 'content');
    expect(files).toEqual([
      {
        path: 'C:\\a\\b.ts',
        count: 2,
        lines: [
          { number: null, text: '  --red: 1', isMatch: true },
          { number: 7, text: 'x', isMatch: true },
        ],
      },
    ]);
  });

  test('files and counts, with remarks apart', () => {
    expect(readSearchOutput('Found 2 files\na.ts\nb.ts', 'files')).toEqual({
      files: [
        { path: 'a.ts', count: null, lines: [] },
        { path: 'b.ts', count: null, lines: [] },
      ],
      remarks: ['Found 2 files'],
    });
    expect(readSearchOutput('a:b.ts:12\nx', 'count')).toMatchObject({ remarks: ['a:b.ts:12', 'x'] });
    expect(readSearchOutput('b.ts:12', 'count').files).toEqual([{ path: 'b.ts', count: 12, lines: [] }]);
    expect(readSearchOutput('No files found', 'files')).toEqual({ files: [], remarks: ['No files found'] });
  });
});

test('links of a web search', () => {
  const output = 'Web search results for query: "x"\n\nLinks: [{"title":"A","url":"https://a"},{"bad":1}]\n\nText.';
  expect(readWebSearchOutput(output)).toEqual({ links: [{ title: 'A', url: 'https://a' }], text: 'Text.' });
  expect(readWebSearchOutput('Links: [{"title"')).toEqual({ links: [], text: 'Links: [{"title"' });
});

test('output of a command in the background', () => {
  expect(readBackgroundOutput('<status>running</status>\n<stdout>\na\n</stdout>')).toEqual({
    status: 'running',
    exitCode: null,
    stdout: 'a',
    stderr: '',
  });
  expect(readBackgroundOutput('{"message":"killed"}')).toBeNull();
});

test('a list of tasks', () => {
  expect(readTaskList('#1 [completed] Row (bo)\nnothing')).toEqual([
    { id: '1', status: 'completed', text: 'Row (bo)' },
  ]);
});
