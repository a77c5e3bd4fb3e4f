import { describe, expect, it } from 'vitest';
import {
  assistantLine,
  fixture,
  parseBytes,
  parseLines,
  toolResult,
  toolUse,
  userLine,
} from '../testing/parse-text.ts';
import { absolutePath, countLines, countReplaced } from './file-changes.ts';
import { persistedOutputIn, persistedRef } from './persisted-output.ts';
import { judgeResult, waitingMs } from './verdict.ts';

const { session, blocks } = parseBytes(fixture('tools.jsonl'), { sessionId: '11111111-1111-4111-8111-111111111111' });
const call = (id: string) => session.toolCalls.find((found) => found.id === id);

describe('each call records its outcome', () => {
  it.each([
    ['t_bash', 'ok', 0],
    ['t_fail', 'error', 3],
    ['t_deny', 'denied', null],
    ['t_bg', 'background', null],
    ['t_edit', 'ok', null],
    ['t_mcp', 'ok', null],
    ['t_stop', 'ok', 0],
  ])('%s is %s with exit code %s', (id, status, exitCode) => {
    expect(call(id)).toMatchObject({ status, exitCode });
  });

  it('reason of denial, background task, number of results', () => {
    expect(call('t_deny')?.denial).toBe('user');
    expect(call('t_bg')?.details).toEqual({ taskId: 'b77' });
    expect(call('t_stop')).toMatchObject({ resultCount: 2, status: 'ok' });
  });

  it.each([
    "ls in '/home/ada/.claude' was blocked. For security, Claude Code may only list files in the allowed working directories for this session: '/app'.",
    "Error: cd to '/etc' was blocked. For security, Claude Code may only change directories to the allowed working directories for this session: '/app'.",
  ])('a path outside the working directories is denied by a rule: %s', (text) => {
    const scene = { isUnattended: false };
    expect(judgeResult({}, true, text, scene)).toEqual({ denial: 'rule', isStopped: false });
    expect(judgeResult({}, true, `Exit code 1\n${text}`, scene).denial).toBe(null);
  });

  it('duration: reported, otherwise from line to line', () => {
    expect(call('t_grep')).toMatchObject({ durationMs: 17, durationSource: 'reported' });
    expect(call('t_web')).toMatchObject({ durationMs: 1250, durationSource: 'reported' });
    expect(call('t_bash')).toMatchObject({ durationMs: 2000, durationSource: 'derived' });
  });

  it('touched files and changed lines', () => {
    expect(call('t_edit')?.files).toEqual([{ path: '/app/a.ts', action: 'edit', linesAdded: 2, linesRemoved: 1 }]);
    expect(call('t_write')?.files).toEqual([{ path: '/app/new.ts', action: 'create', linesAdded: 3, linesRemoved: 0 }]);
    expect(call('t_over')?.files).toEqual([{ path: '/app/old.ts', action: 'edit', linesAdded: 1, linesRemoved: 2 }]);
    expect(session.touchedFiles).toEqual([
      { path: '/app/a.ts', reads: 1, writes: 1, linesAdded: 2, linesRemoved: 1 },
      { path: '/app/new.ts', reads: 0, writes: 1, linesAdded: 3, linesRemoved: 0 },
      { path: '/app/old.ts', reads: 0, writes: 1, linesAdded: 1, linesRemoved: 2 },
    ]);
    expect(session.totals).toMatchObject({
      toolCalls: 15,
      toolErrors: 1,
      filesWritten: 3,
      filesRead: 1,
      linesAdded: 6,
    });
  });

  it('git operations and the to-do list', () => {
    expect(session.gitOperations).toMatchObject([
      { kind: 'commit', sha: '1a2b3c4d', action: 'committed', toolUseId: 't_bash' },
      { kind: 'push', branch: 'main' },
      { kind: 'pr', number: 7, action: 'created' },
    ]);
    expect(session.todos.map((todo) => [todo.text, todo.status])).toEqual([
      ['one', 'completed'],
      ['two', 'in_progress'],
    ]);
  });

  it('a result of several parts yields its text, and has the name of the tool', () => {
    const result = blocks.find((block) => block.toolResultId === 't_mcp');
    expect(result).toMatchObject({ resultText: '1 row', toolName: 'mcp__db__query', isError: null });
    expect(result?.metadata).toEqual({ parts: ['image', 'tool_reference'] });
  });
});

it('all five kinds of MCP content are read', () => {
  const content = [
    { type: 'text', text: 'a' },
    { type: 'image', data: 'AA==', mimeType: 'image/png' },
    { type: 'audio', data: 'AA==', mimeType: 'audio/wav' },
    { type: 'resource_link', uri: 'file:///x' },
    { type: 'resource', resource: { uri: 'file:///y', text: 'inside' } },
  ];
  const result = parseLines([userLine(toolResult('t', content))]).blocks[0];
  expect(result?.resultText).toBe('a\nfile:///x\ninside');
  expect(result?.metadata).toEqual({ parts: ['image', 'audio', 'resource_link', 'resource'] });
});

describe('C27 persisted output', () => {
  it('C27 names a file in tool-results, never a path', () => {
    expect(call('t_big')?.persistedOutput).toEqual({ fileName: 't_big.txt', sizeBytes: 107_622 });
    expect(call('t_evil')?.persistedOutput).toEqual({ fileName: null, sizeBytes: 1024 });
  });

  it.each([
    '/etc/passwd',
    '../../.ssh/id_rsa',
    '/home/x/tool-results/../secret.txt',
    '/home/x/tool-results/.txt',
    '/home/x/tool-results/a b.txt',
    '/home/x/tool-results/a.sh',
    '\\\\host\\share\\x.txt',
    `/tool-results/${'a'.repeat(200)}.txt`,
    '/tool-results/a.txt/..',
  ])('C27 %s is never opened', (path) => expect(persistedRef(path, 1).fileName).toBeNull());

  it('C27 Windows paths are read too', () => {
    expect(persistedRef('C:\\Users\\x\\tool-results\\toolu_1.txt', 1).fileName).toBe('toolu_1.txt');
    expect(persistedOutputIn('no such thing')).toBeNull();
    expect(persistedOutputIn('<persisted-output>\nsomething else')).toBeNull();
  });
});

describe('counting lines', () => {
  it.each([
    ['', 0],
    ['a', 1],
    ['a\n', 1],
    ['a\nb', 2],
    ['\n\n', 2],
  ])('%j has %i', (value, lines) => expect(countLines(value)).toBe(lines));

  it.each([
    ['a', 'b', 1, 1],
    ['a\nb\nc', 'a\nx\ny\nc', 2, 1],
    ['', 'a\nb', 2, 0],
    ['a\nb', '', 0, 2],
    ['a', 'a', 0, 0],
  ])('from %j to %j: +%i -%i', (before, after, linesAdded, linesRemoved) => {
    expect(countReplaced(before, after)).toEqual({ linesAdded, linesRemoved });
  });
});

const HOUR = 3_600_000;

// Regression: a Bash call that waited eleven hours for permission was reported as the longest tool run.
describe('time in which a tool cannot have been running', () => {
  it.each([
    ['Bash', 11 * HOUR, null, 120_000, 11 * HOUR - 120_000],
    ['Bash', 11 * HOUR, null, null, 11 * HOUR - 600_000],
    ['Bash', 90_000, null, null, 0],
    ['Bash', 123_000, null, 120_000, 0],
    ['Edit', 7_999, null, null, 0],
    ['Edit', 60_000, null, null, 60_000],
    ['AskUserQuestion', 60_000, null, null, 60_000],
    ['WebFetch', 61_250, 1_250, null, 60_000],
    ['WebFetch', 61_250, null, null, 0],
    [null, HOUR, null, null, 0],
  ])('%s, %d ms between call and result', (name, betweenMs, reportedMs, timeoutMs, expected) => {
    expect(waitingMs(name, betweenMs, { reportedMs, timeoutMs })).toBe(expected);
  });
});

it('an edit by a tool of a later client is recognized by the shape of its result', () => {
  const patch = [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ['-a', '+b'] }];
  const result = userLine(toolResult('t1', 'done'), {
    toolUseResult: { filePath: '/app/a.ts', oldString: 'a', newString: 'b', structuredPatch: patch },
  });
  const { toolCalls } = parseLines([assistantLine(toolUse('t1', 'ApplyPatch', { patch: 'x' })), result]).session;
  expect(toolCalls[0]?.files).toEqual([{ path: '/app/a.ts', action: 'edit', linesAdded: 1, linesRemoved: 1 }]);
});

describe('results without a structured form, as in files of sub-agents', () => {
  const resultOf = (name: string, input: object, content: string) =>
    parseLines([assistantLine(toolUse('t1', name, input)), userLine(toolResult('t1', content))]).session.toolCalls[0];

  it.each([
    ['Command running in background with ID: b1. Output is being written to: /tmp/b1.output', 'background', 'b1'],
    ['Command did not complete within its 120s timeout and was moved to the background (ID: b2).', 'background', 'b2'],
    ['Command-line tools run in the background', 'ok', undefined],
  ])('of a shell command: %s', (content, status, taskId) => {
    expect(resultOf('Bash', { command: 'npm test' }, content)).toMatchObject({
      status,
      details: taskId === undefined ? {} : { taskId },
    });
  });

  it('do not show how many lines of an existing file a Write changed', () => {
    const input = { file_path: '/app/a.ts', content: 'a\nb\n' };
    const of = (content: string) => resultOf('Write', input, content)?.files;
    expect(of('File created successfully at: /app/a.ts')).toMatchObject([{ action: 'create', linesAdded: 2 }]);
    expect(of('The file /app/a.ts has been updated successfully.')).toMatchObject([{ action: 'edit', linesAdded: 0 }]);
  });
});

describe('paths of files', () => {
  it.each([
    ['/app/a.ts', '/home/ada', '/app/a.ts'],
    ['/app/./src//../a.ts', null, '/app/a.ts'],
    ['a.ts', '/app', '/app/a.ts'],
    ['../a.ts', '/app/src', '/app/a.ts'],
    ['a.ts', null, 'a.ts'],
    ['/../a.ts', null, '/a.ts'],
    ['/app/...ts', null, '/app/...ts'],
    ['C:/Users/ada/a.ts', 'c:\\Users', 'c:\\Users\\ada\\a.ts'],
    ['src\\a.ts', 'C:\\shop', 'C:\\shop\\src\\a.ts'],
    ['\\\\host\\share\\a.ts', null, '\\\\host\\share\\a.ts'],
  ])('%s in %s is %s', (path, cwd, expected) => expect(absolutePath(path, cwd)).toBe(expected));

  it('are those that the client resolves them to, so that a file counts once', () => {
    const edit = (id: string, path: string) => [
      assistantLine(toolUse(id, 'Edit', { file_path: path, old_string: 'a', new_string: 'b' }), { cwd: '/app', id }),
      userLine(toolResult(id, 'done'), { cwd: '/app', toolUseResult: { filePath: path, structuredPatch: [] } }),
    ];
    const { touchedFiles } = parseLines(
      ['/app/a.ts', 'a.ts', '/app/./a.ts'].flatMap((path, n) => edit(`t${n}`, path)),
    ).session;
    expect(touchedFiles).toMatchObject([{ path: '/app/a.ts', writes: 3 }]);
  });
});

it('an agent that the model stops is killed, unless a notification says how it ended', () => {
  const launched = { isAsync: true, status: 'async_launched', agentId: 'a1' };
  const lines = [
    assistantLine(toolUse('t1', 'Agent', { description: 'Look', prompt: 'Look' })),
    userLine(toolResult('t1', 'launched'), { toolUseResult: launched }),
  ];
  const stop = [
    assistantLine(toolUse('t2', 'TaskStop', { task_id: 'a1' }), { id: 'msg_2' }),
    userLine(toolResult('t2', 'stopped'), { toolUseResult: { task_id: 'a1', message: 'Stopped' } }),
  ];
  const ended = '<task-notification>\n<task-id>a1</task-id>\n<status>completed</status>\n</task-notification>';
  const statusOf = (all: readonly object[]) => parseLines(all).session.subagents.map(({ status }) => status);
  expect(statusOf([...lines, ...stop])).toEqual(['killed']);
  expect(statusOf([...lines, userLine(ended), ...stop])).toEqual(['completed']);
});

it.each([
  ['[Request interrupted by user for tool use]', false, 'interrupted'],
  ['[Request interrupted by user for tool use]\npartial output', true, 'interrupted'],
  ['[Request interrupted by user] is in log.txt', false, 'ok'],
  ['[Request interrupted by user]\nis what the log has', false, 'ok'],
  ["The user doesn't want to proceed with this tool use", false, 'ok'],
  ['Permission to use the file is missing', false, 'ok'],
])('a command that prints %j is not taken for a message of the client: %s, %s', (text, isError, status) => {
  const result = userLine(toolResult('t1', text, { is_error: isError }));
  const parsed = parseLines([assistantLine(toolUse('t1', 'Bash', { command: 'cat x' })), result]);
  expect(parsed.session.toolCalls.map((one) => one.status)).toEqual([status]);
});
