import { describe, expect, test } from 'vitest';
import { makeBlock, makeCallFacts } from '../../test/browser/support/make-rows.ts';
import type { JsonValue } from '../domain/transcript.ts';
import { summarizeInput, withoutFolder } from './call-summary.ts';
import type { CallFacts } from './parts.ts';
import {
  diffOf,
  markOf,
  outputOf,
  showToolName,
  statusText,
  toolCall,
  viewOf,
  waitedText,
  writtenText,
} from './tool-call.ts';
import { viewText } from './view-text.ts';

interface Given {
  readonly name?: string;
  readonly input?: JsonValue;
  readonly result?: string | null;
  readonly isError?: boolean;
  readonly facts?: Partial<CallFacts>;
  readonly reported?: Parameters<typeof makeCallFacts>[0];
}

function makeCall({ name = 'Bash', input = {}, result = 'done', isError = false, facts, reported }: Given) {
  const call = reported === undefined ? null : makeCallFacts(reported);
  const use = makeBlock({ block_type: 'tool_use', tool_name: name, tool_use_id: 't', tool_input: input, call });
  const known = { id: 't', status: 'success', denial: null, exit_code: null, duration_ms: null };
  return toolCall({
    use,
    result: result === null ? null : { block: resultBlock(result, isError), message: { id: 'm2', ordinal: 2 } },
    facts: facts === undefined ? undefined : { ...known, ...facts },
    subagents: [],
    cwd: '/home/mira/a',
  });
}

function resultBlock(text: string, isError: boolean) {
  return makeBlock({ block_type: 'tool_result', result_text: text, is_error: isError });
}

test.each([
  ['C:\\harbour\\src\\x.ts', 'C:\\harbour', 'src\\x.ts'],
  ['C:\\harbour-2\\x.ts', 'C:\\harbour', 'C:\\harbour-2\\x.ts'],
  ['C:\\harbour', 'C:\\harbour', '.'],
])('%s in %s is %s', (path, folder, shown) => {
  expect(withoutFolder(path, folder)).toBe(shown);
});

describe('the subject of a call', () => {
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
    ['ExitPlanMode', { plan: '## Change the unit\n\n1. …' }, 'Change the unit'],
    ['mcp__github__create_issue', { owner: 'mira', title: 'Wrong unit' }, 'Wrong unit'],
    ['LS', { path: '/home/mira/a' }, '.'],
    ['Bash', { command: 'cd /home/mira/a && npm test' }, 'npm test'],
    ['Bash', { command: "cd '/home/mira/a'\ngit status\ngit diff" }, 'git status'],
    ['Bash', { command: 'cd /home/mira/a/web && npm test' }, 'cd /home/mira/a/web && npm test'],
    ['Bash', { command: 'git add a \\\n  b c' }, 'git add a b c'],
    ['Bash', { command: 'NAME=x' }, 'NAME=x'],
    ['Bash', { command: 'cd /home/mira/a' }, 'cd /home/mira/a'],
    ['Bash', { command: 'set -e\nOUT="/tmp/a b"\n\n  make all >"$OUT"\nls' }, 'make all >"$OUT"'],
    ['Bash', { command: 'cd ../web\nNAME=x\nmake' }, 'cd ../web; make'],
  ])('%s %j', (name, input, summary) => {
    expect(summarizeInput(name, input, '/home/mira/a')).toBe(summary);
  });

  test('tools of MCP servers are shown with their server', () => {
    expect([showToolName('mcp__linear__get_issue'), showToolName('Read'), showToolName(null)]).toEqual([
      'linear · get_issue',
      'Read',
      'unknown tool',
    ]);
    expect([showToolName('mcp__plugin_maps_maps__zoom'), showToolName('mcp__plugin_a_b__c')]).toEqual([
      'maps · zoom',
      'a_b · c',
    ]);
  });
});

describe('the mark of a call', () => {
  const edit = { file_path: '/a', old_string: 'a\nb', new_string: 'a\nc' };
  test.each<[Given, string]>([
    [{}, ''],
    [{ result: null }, 'no result'],
    [{ isError: true }, 'failed'],
    [{ isError: true, facts: { status: 'error', exit_code: 127 } }, 'exit 127'],
    [{ isError: true, facts: { status: 'denied', denial: 'user' } }, 'denied by the user'],
    [{ isError: true, facts: { status: 'denied', denial: 'constructor' } }, 'denied'],
    [{ facts: { status: 'background' } }, 'in the background'],
    [{ facts: { duration_ms: 1_900 } }, ''],
    [{ facts: { duration_ms: 65_000 } }, '1m'],
    [{ name: 'Edit', input: edit }, '+1 −1'],
    [{ name: 'Edit', input: edit, facts: { duration_ms: 3_000 } }, '+1 −1 · 3s'],
    [{ name: 'Edit', input: edit, isError: true }, 'failed'],
    [{ name: 'Write', input: { file_path: '/a', content: 'one\ntwo\n' } }, '+2 −0'],
    [{ name: 'Other', input: { content: 'one' } }, ''],
    [
      {
        name: 'MultiEdit',
        input: {
          edits: [
            { old_string: '', new_string: 'b' },
            { old_string: 'c', new_string: '' },
          ],
        },
      },
      '+1 −1',
    ],
  ])('%j', (given, mark) => {
    expect(markOf(makeCall(given))).toBe(mark);
  });

  test('an unknown status is empty', () => {
    expect(statusText({ status: 'constructor', denial: null })).toBe('');
  });
});

describe('the view of a call', () => {
  const questions: JsonValue = [
    { question: 'Which colour?', header: 'Colour', options: [{ label: 'Blue' }, { label: 'Red' }], multiSelect: false },
    { question: 'Why?', options: [{ label: 'Because' }] },
  ];
  const todos: JsonValue = [
    { content: 'one', status: 'completed' },
    { content: 'two', status: 'in_progress' },
    { content: 'three', status: 'constructor' },
    { nothing: true },
  ];

  test.each<[Given, string, string]>([
    [{ input: { command: 'ls' } }, 'command', 'ls'],
    [{ name: 'Read', input: { file_path: '/a' } }, 'file', '/a'],
    [{ name: 'Read', input: { file_path: '/a', offset: 10, limit: 5 } }, 'file', '/a, lines 10–14'],
    [{ name: 'Read', input: { file_path: '/a', offset: 10 } }, 'file', '/a, from line 10'],
    [{ name: 'TodoWrite', input: { todos } }, 'todos', '☑ one\n◐ two\n☐ three'],
    [
      {
        name: 'TodoWrite',
        input: { todos },
        reported: {
          details: {
            formerTodos: [
              { text: 'one', status: 'in_progress' },
              { text: 'gone', status: 'pending' },
              { text: 'two', status: 'pending' },
            ],
          },
        },
      },
      'todos',
      '☑ one (done)\n◐ two (started)\n☐ three (new)\n✗ gone (removed)',
    ],
    [
      {
        name: 'AskUserQuestion',
        input: { questions },
        result: 'User has answered your questions: "Which colour?"="Red", "Why?"="No idea". Go on.',
      },
      'questions',
      'Which colour?\n○ Blue\n◉ Red\n\nWhy?\n○ Because\n◉ No idea',
    ],
    [
      {
        name: 'AskUserQuestion',
        input: {
          questions: [
            { question: 'Which?', multiSelect: true, options: [{ label: 'M, slim' }, { label: 'L' }] },
            { question: 'What?', multiSelect: false, options: [{ label: 'This' }] },
          ],
        },
        result: 'User has answered your questions: "Which?"="M, slim, XL", "What?"="the "big" one". Go on.',
      },
      'questions',
      'Which?\n◉ M, slim\n○ L\n◉ XL\n\nWhat?\n○ This\n◉ the "big" one',
    ],
    [{ name: 'AskUserQuestion', input: { questions: 'none' } }, 'fields', 'questions: none'],
    [{ name: 'ExitPlanMode', input: { plan: '# Plan' } }, 'plan', '# Plan'],
    [{ name: 'Agent', input: { description: 'Look', prompt: 'Find it.' } }, 'agent', 'Find it.'],
    [{ name: 'WebFetch', input: { url: 'https://x', prompt: 'Sum up' } }, 'web', 'https://x\n\nSum up'],
    [{ name: 'WebSearch', input: { query: 'ferries' } }, 'web-search', 'ferries'],
    [{ name: 'Grep', input: { pattern: 'ferry', path: 'src' } }, 'search', 'ferry in src'],
    [{ name: 'Glob', input: { pattern: '*.ts' } }, 'search', '*.ts'],
    [
      { name: 'TaskCreate', input: { subject: 'Row' }, result: 'Task #7 created successfully: Row' },
      'task',
      '☐ #7 Row',
    ],
    [{ name: 'TaskUpdate', input: { taskId: '7', status: 'completed' } }, 'task', '☑ #7 completed'],
    [
      {
        name: 'TaskUpdate',
        input: { taskId: '7', status: 'in_progress' },
        reported: { details: { formerTask: { text: 'Row', status: 'completed', owner: null } } },
      },
      'task',
      '◐ #7 Row (reopened)',
    ],
    [{ name: 'TaskList', result: '#1 [completed] Row\n#2 [pending] Moor' }, 'tasks', '☑ #1 Row\n☐ #2 Moor'],
    [{ name: 'BashOutput', input: { bash_id: 'b1' } }, 'background', 'b1'],
    [{ name: 'Skill', input: { skill: 'commit', args: 'now' } }, 'skill', 'commit now'],
    [{ name: 'SendMessage', input: { to: 'bo', message: 'Hello' } }, 'message', 'To bo\n\nHello'],
    [{ name: 'mcp__a__b', input: { depth: 3, at: 'x' } }, 'fields', 'depth: 3\nat: x'],
    [{ name: 'mcp__a__b', input: { deep: { list: [1, 2] } } }, 'fields', 'deep: {"list":[1,2]}'],
    [{ name: 'EnterPlanMode', input: {} }, 'generic', ''],
    [{ name: 'SlashCommand', input: { command: '/review src' } }, 'skill', '/review src'],
    [{ name: 'LS', input: { path: 'src' }, result: '- src/\n  - a.ts' }, 'listing', 'src'],
    [{ name: 'Bash', input: null }, 'generic', ''],
    [{ name: 'Edit', input: { file_path: '/a', old_string: 'a', new_string: 'b' } }, 'diff', ''],
  ])('%j', (given, kind, text) => {
    const view = viewOf(makeCall(given));
    expect([view.kind, viewText(view)]).toEqual([kind, text]);
  });

  test('of a folder is without the instruction to the model', () => {
    const result = '- src/\n  - a.ts\n\nNOTE: do any of the files above seem malicious? If so, refuse.';
    expect(viewOf(makeCall({ name: 'LS', input: { path: 'src' }, result }))).toMatchObject({
      text: '- src/\n  - a.ts',
    });
  });

  test('is computed once', () => {
    const call = makeCall({ name: 'Edit', input: { file_path: '/a', old_string: 'a', new_string: 'b' } });
    expect(viewOf(call)).toBe(viewOf(call));
    expect(diffOf(call)).toBe(diffOf(call));
  });
});

describe('facts that the client reported about a call', () => {
  const input = { file_path: '/home/mira/a/b.ts', content: 'x\ny\n' };
  const patch = [{ old_start: 7, new_start: 7, lines: ['-z', '+x', ' y'] }];

  test('a patch is shown instead of the input', () => {
    const call = makeCall({ name: 'Write', input, reported: { patch } });
    expect(diffOf(call)?.lines.map(({ oldNumber, newNumber }) => oldNumber ?? newNumber)).toEqual([7, 7, 8]);
    expect(writtenText(call)).toBeNull();
  });

  test('a file without a patch was written as a whole', () => {
    expect(writtenText(makeCall({ name: 'Write', input }))).toBe('x\ny\n');
    expect(writtenText(makeCall({ name: 'Write', input, isError: true }))).toBeNull();
  });

  test.each([
    [{}, 'out\nerr', { stdout: 'out\nerr', stderr: '' }],
    [{ stderr: 'err' }, 'out\nerr', { stdout: 'out', stderr: 'err' }],
    [{ stderr: 'other' }, 'out\nerr', { stdout: 'out\nerr', stderr: '' }],
    [{ stderr: 'err', exit_code: 2 }, 'Exit code 2\nerr', { stdout: '', stderr: 'err' }],
    [{ exit_code: 2 }, '<tool_use_error>no</tool_use_error>', { stdout: 'no', stderr: '' }],
  ])('%j of %j', (reported, result, output) => {
    expect(outputOf(makeCall({ result, reported }))).toEqual(output);
  });

  test('a notice about a large result is without its tag', () => {
    const notice = 'Output too large (95KB).\n\nPreview (first 2KB):\na';
    const result = `<persisted-output>\n${notice}\n</persisted-output>`;
    expect(outputOf(makeCall({ result })).stdout).toBe(notice);
    expect(outputOf(makeCall({ result: `see ${result}` })).stdout).toBe(`see ${result}`);
  });

  test.each([
    [null, ''],
    [900, ''],
    [12_000, 'waited 12s'],
  ])('a wait of %s ms: %j', (waiting_ms, text) => {
    expect(waitedText(makeCall({ reported: { waiting_ms } }))).toBe(text);
  });
});
