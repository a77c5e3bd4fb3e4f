import { describe, expect, it } from 'vitest';
import { createDrift } from '../drift.ts';
import {
  assistantLine,
  fixture,
  linesOf,
  parseBytes,
  parseFiles,
  text,
  toolResult,
  toolUse,
  userLine,
} from '../testing/parse-text.ts';

const SESSION_ID = '11111111-1111-4111-8111-111111111111';
const { session } = parseBytes(fixture('facts.jsonl'), { sessionId: SESSION_ID });
const call = (id: string) => session.toolCalls.find((found) => found.id === id);

describe('outcomes of calls', () => {
  it.each([
    ['d_user', 'denied', 'user'],
    ['d_rule', 'denied', 'rule'],
    ['d_hook', 'denied', 'hook'],
    ['d_old_hook', 'denied', 'hook'],
    ['d_auto', 'denied', 'auto_mode'],
    // The configuration did not allow it, so no person was asked.
    ['d_print', 'denied', 'rule'],
    ['d_cancel', 'interrupted', null],
    ['d_stop', 'interrupted', null],
    ['d_bypass', 'interrupted', null],
  ])('%s is %s by %s', (id, status, denial) => {
    expect(call(id)).toMatchObject({ status, denial });
  });

  it('a refusal in print mode is an interruption because there is no person to ask', () => {
    const said = "The user doesn't want to proceed with this tool use.";
    const refused = (entrypoint: string) =>
      parseLinesOf(entrypoint, said).session.toolCalls.map(({ status, denial }) => [status, denial]);
    expect(refused('sdk-cli')).toEqual([['interrupted', null]]);
    expect(refused('claude-desktop')).toEqual([['denied', 'user']]);
  });

  it('have a caller', () => {
    expect([call('d_user')?.caller, call('wf')?.caller]).toEqual(['direct', 'code_execution_20250825']);
  });
});

function parseLinesOf(entrypoint: string, said: string) {
  return parseFiles([
    {
      bytes: linesOf([
        userLine('Work', { entrypoint }),
        assistantLine(toolUse('t', 'Bash', { command: 'x' }), { entrypoint }),
        userLine(toolResult('t', said, { is_error: true }), { entrypoint, toolDenialKind: 'user-rejected' }),
      ]),
    },
  ]);
}

describe('lists of a session', () => {
  it('to-do lists and tasks change only through successful calls', () => {
    expect(session.todos).toEqual([
      { id: '1', list: 'todo', agentId: null, text: 'one', description: null, owner: null, status: 'in_progress' },
      { id: '2', list: 'todo', agentId: null, text: 'two', description: null, owner: null, status: 'pending' },
      {
        id: '1',
        list: 'task',
        agentId: null,
        text: 'Sweep',
        description: 'Sweep the shop',
        owner: 'ada',
        status: 'in_progress',
      },
    ]);
  });

  it('tasks of a sub-agent, whose files have no structured results, and a list after a resume', () => {
    const agent = linesOf([
      userLine('Help', { isSidechain: true, agentId: 'a1' }),
      assistantLine(toolUse('t1', 'TaskCreate', { subject: 'Deep', description: 'd' }), { isSidechain: true }),
      userLine(toolResult('t1', 'Task #7 created successfully: Deep'), { isSidechain: true }),
    ]);
    const listed = { toolUseResult: { tasks: [{ id: '3', subject: 'Old', status: 'completed', owner: 'eve' }] } };
    const main = linesOf([
      userLine('Work'),
      assistantLine(toolUse('t2', 'TaskList', {}), { id: 'm2' }),
      userLine(toolResult('t2', '#3 Old'), listed),
    ]);
    const { todos } = parseFiles([{ bytes: main }, { bytes: agent, agentId: 'a1' }]).session;
    expect(todos.map(({ id, text: words, status, agentId }) => [id, words, status, agentId])).toEqual([
      ['3', 'Old', 'completed', null],
      ['7', 'Deep', 'pending', 'a1'],
    ]);
  });

  it("calls keep the previous state of a list or task, from the client's report or from the session", () => {
    const write = (id: string, content: string, status: string) =>
      assistantLine(toolUse(id, 'TodoWrite', { todos: [{ content, status, activeForm: content }] }), { id });
    const bytes = linesOf([
      userLine('Work'),
      write('t1', 'Row', 'pending'),
      userLine(toolResult('t1', 'ok'), { toolUseResult: { oldTodos: [{ content: 'Old', status: 'completed' }] } }),
      write('t2', 'Row', 'completed'),
      userLine(toolResult('t2', 'ok')),
      assistantLine(toolUse('t3', 'TaskCreate', { subject: 'Moor' }), { id: 't3' }),
      userLine(toolResult('t3', 'Task #1 created successfully: Moor')),
      assistantLine(toolUse('t4', 'TaskUpdate', { taskId: '1', status: 'completed' }), { id: 't4' }),
      userLine(toolResult('t4', 'Updated task #1 status')),
    ]);
    const { toolCalls } = parseFiles([{ bytes }]).session;
    expect(toolCalls.map(({ details }) => details)).toEqual([
      { formerTodos: [{ text: 'Old', status: 'completed' }] },
      { formerTodos: [{ text: 'Row', status: 'pending' }] },
      {},
      { formerTask: { text: 'Moor', status: 'pending', owner: null } },
    ]);
  });

  it('questions with options and answers', () => {
    expect(session.questions).toMatchObject([
      {
        header: 'Colour',
        question: 'Which colour?',
        options: [{ label: 'Red', description: 'r' }, { label: 'Blue' }],
        answer: 'Blue',
        chosen: ['Blue'],
        notes: 'like the sky',
        status: 'answered',
      },
      { question: 'Which sizes?', isMultiSelect: true, chosen: ['M, slim', 'L', 'also XXL'], status: 'answered' },
      { question: 'Why?', answer: null, chosen: [], status: 'declined', answeredAt: null },
    ]);
  });

  it('an answer that only the result text contains', () => {
    const questions = [{ question: 'Now?', options: [{ label: 'Yes' }] }];
    const said = 'User has answered your questions: "Now?"="Yes, at once". You can now continue.';
    const { session: other } = parseFiles([
      {
        bytes: linesOf([
          assistantLine(toolUse('q', 'AskUserQuestion', { questions })),
          userLine(toolResult('q', said)),
        ]),
      },
    ]);
    expect(other.questions).toMatchObject([{ answer: 'Yes, at once', chosen: ['Yes, at once'], status: 'answered' }]);
  });

  it('skills used by model and person; worktrees; plans with their text', () => {
    expect(session.skills.map(({ name, args, by, status }) => [name, args, by, status])).toEqual([
      ['greet', 'Ada', 'model', 'ok'],
      ['tidy', 'the desk', 'person', 'ok'],
    ]);
    expect(session.worktrees).toMatchObject([
      {
        name: 'side',
        branch: 'worktree-side',
        originalBranch: 'main',
        originalCommit: 'abc123',
        leftBy: 'remove',
        enteredAt: expect.any(String) as unknown,
        leftAt: expect.any(String) as unknown,
      },
    ]);
    expect(session.plans.map(({ status, text: words }) => [status, words])).toEqual([
      ['approved', '# The plan\n1. Sweep'],
      ['implemented', '# Other plan'],
    ]);
  });
});

describe('facts of a message', () => {
  const prompt = (words: string) => session.messages.find(({ id }) => id === promptId(words));
  const { blocks } = parseBytes(fixture('facts.jsonl'), { sessionId: SESSION_ID });
  const promptId = (words: string) => blocks.find(({ contentText }) => contentText === words)?.messageId;

  it('of a prompt: client, team, permission mode, thinking and to-do list', () => {
    expect(prompt('Plan it')).toMatchObject({
      version: '2.1.325',
      entrypoint: 'cli',
      userType: 'external',
      teamName: 'crew',
      permissionMode: 'default',
      metadata: { thinkingMetadata: { level: 'high' }, todos: [{ content: 'before' }] },
    });
  });

  it('of an answer: the permission mode in effect, the reason for a cache miss, the API request', () => {
    const answers = session.messages.filter(({ origin }) => origin === 'model');
    expect(answers[0]).toMatchObject({ cacheMiss: { reason: 'tools_changed', tokens: 1234 }, iterations: null });
    const fast = answers.find(({ usage }) => usage?.speed === 'fast');
    expect(fast).toMatchObject({
      permissionMode: 'acceptEdits',
      iterations: 2,
      metadata: { iterations: [{ type: 'message' }, { type: 'fallback_message' }] },
      usage: { serviceTier: 'priority', webSearches: 2, webFetches: 1, thinkingTokens: 2 },
    });
  });
});

describe('sub-agents', () => {
  const agentLine = (agentId: string, fields: object = {}) => ({ isSidechain: true, agentId, ...fields });
  const done = (agentId: string, id: string) =>
    linesOf([
      userLine(`Task of ${agentId}`, agentLine(agentId)),
      endOf(assistantLine(text('Done.'), { id, model: 'claude-haiku-4-5', ...agentLine(agentId) })),
    ]);
  const endOf = (line: object) => {
    const { message, ...rest } = line as { message: object };
    return { ...rest, message: { ...message, stop_reason: 'end_turn' } };
  };

  it('of a workflow have its call, a model and a status', () => {
    const files = [
      { bytes: fixture('facts.jsonl') },
      { bytes: done('a77', 'm_a77'), agentId: 'a77', name: 'projects/x/s/subagents/workflows/wf_1/agent-a77.jsonl' },
    ];
    expect(parseFiles(files, { sessionId: SESSION_ID }).session.subagents).toMatchObject([
      { agentId: 'a77', toolUseId: 'wf', linkedBy: 'workflow', model: 'claude-haiku-4-5', status: 'completed' },
    ]);
  });

  it('nested ones have a status although results in sub-agent files have no structured form', () => {
    const outer = linesOf([
      userLine('Outer', agentLine('a1')),
      assistantLine(toolUse('t_in', 'Agent', { prompt: 'Task of a2', description: 'Inner' }), {
        id: 'm_in',
        ...agentLine('a1'),
      }),
      userLine(toolResult('t_in', 'Report.\nagentId: a2 (use SendMessage)'), agentLine('a1')),
    ]);
    const files = [
      { bytes: linesOf([userLine('Go')]) },
      { bytes: outer, agentId: 'a1' },
      { bytes: done('a2', 'm_a2'), agentId: 'a2' },
    ];
    const agents = parseFiles(files).session.subagents;
    expect(agents.find(({ agentId }) => agentId === 'a2')).toMatchObject({
      parentAgentId: 'a1',
      toolUseId: 't_in',
      status: 'completed',
      model: 'claude-haiku-4-5',
    });
    // Its last line is a result without an answer.
    expect(agents.find(({ agentId }) => agentId === 'a1')?.status).toBeNull();
  });
});

it('the fixture contains nothing unknown', () => {
  const drift = createDrift();
  parseBytes(fixture('facts.jsonl'), { sessionId: SESSION_ID, see: drift.see });
  expect(drift.report().entries).toEqual([]);
});
