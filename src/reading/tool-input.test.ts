import { describe, expect, test } from 'vitest';
import { diffLines, showToolName, summariseInput } from './tool-input.ts';

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

describe('diffLines', () => {
  test('shows what changed and a little around it', () => {
    const lines = diffLines('1\n2\n3\nold\n4\n5\n6', '1\n2\n3\nnew\nnewer\n4\n5\n6');
    expect(lines.map(({ sign, text }) => sign + text)).toEqual([' 2', ' 3', '-old', '+new', '+newer', ' 4', ' 5']);
  });

  test.each([
    ['', 'a', ['-', '+a']],
    ['a', 'a', [' a']],
    ['a\nb', 'a', [' a', '-b']],
    ['a', 'a\na', [' a', '+a']],
  ])('%j to %j', (before, after, expected) => {
    expect(diffLines(before, after).map(({ sign, text }) => sign + text)).toEqual(expected);
  });
});
