import { expect, test } from 'vitest';
import { createBlame } from './blame.ts';
import { diffEdits } from './diff.ts';

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
