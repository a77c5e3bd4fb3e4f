import { describe, expect, test } from 'vitest';
import { showToolName, sizeOfChange, summariseInput } from './tool-input.ts';

describe('summariseInput', () => {
  test.each([
    ['Bash', { command: 'npm test\nnpm run build', description: 'Test' }, 'npm test'],
    ['Edit', { file_path: '/home/mira/a/src/x.ts' }, 'src/x.ts'],
    ['Edit', { file_path: '/home/mira/ab/x.ts' }, '/home/mira/ab/x.ts'],
    ['Agent', { prompt: 'Find it.' }, 'Find it.'],
    ['Unknown', { depth: 3, note: 'this' }, 'this'],
    ['Unknown', { depth: 3 }, 'depth'],
    ['constructor', { a: 'b' }, 'b'],
    ['Bash', null, ''],
    ['Bash', 'text', 'text'],
    ['Bash', {}, ''],
  ])('%s %j', (name, input, summary) => {
    expect(summariseInput(name, input, '/home/mira/a')).toBe(summary);
  });
});

test('tools of MCP servers are shown with their server', () => {
  expect([showToolName('mcp__linear__get_issue'), showToolName('Read'), showToolName(null)]).toEqual([
    'linear · get_issue',
    'Read',
    'unknown tool',
  ]);
});

test.each([
  [{ file_path: '/a', old_string: 'a\nb', new_string: 'a\nc' }, '+1 −1'],
  [
    {
      file_path: '/a',
      edits: [
        { old_string: '', new_string: 'b' },
        { old_string: 'c', new_string: '' },
      ],
    },
    '+1 −1',
  ],
  [{ file_path: '/a', content: 'one\ntwo\n' }, '+2 −0'],
  [{ content: 'one' }, null],
  [{ command: 'ls' }, null],
  [null, null],
])('%j changes %s', (input, size) => {
  expect(sizeOfChange(input)).toBe(size);
});
