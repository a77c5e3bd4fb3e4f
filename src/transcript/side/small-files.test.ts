import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readAgentMeta, readCustomTitle, readLiveSession, readPlan } from './small-files.ts';
import { readTask, readTodos, readWorkflowJournal, readWorkflowRun } from './small-files.ts';

const REAL = join(import.meta.dirname, '../../../../shared/fixtures/real');

describe('agent .meta.json', () => {
  it('links an agent to its call', () => {
    const file = { agentType: 'Explore', toolUseId: 'toolu_1', spawnDepth: 1, isFork: false, requestShape: { x: 1 } };
    expect(readAgentMeta(JSON.stringify(file)).value).toMatchObject({
      agentType: 'Explore',
      toolUseId: 'toolu_1',
      spawnDepth: 1,
      isFork: false,
      parentAgentId: null,
      raw: file,
    });
  });

  it('rejects other shapes', () => {
    expect(readAgentMeta('[]').value).toBeNull();
    expect([...readAgentMeta('[]').problems]).toEqual([['wrong_shape', 1]]);
  });

  it.runIf(existsSync(REAL))('real files have a type and a description', () => {
    const files = readdirSync(REAL, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.meta.json'),
    );
    const metas = files.map((name) => readAgentMeta(readFileSync(join(REAL, name))).value);
    expect(metas.length).toBeGreaterThan(0);
    expect(metas.filter((meta) => !meta?.agentType || !meta.description)).toEqual([]);
  });
});

describe('tasks and to-do lists', () => {
  it('a task without an id uses the number of its file', () => {
    expect(readTask('{"subject":"Boil","blocks":["2",3]}', '7').value).toMatchObject({
      id: '7',
      subject: 'Boil',
      blocks: ['2'],
    });
    expect(readTask('{"id":3}', '7').value?.id).toBe('3');
    expect(readTask('7', '7')).toEqual({ value: null, problems: new Map([['wrong_shape', 1]]) });
  });

  it('an old list is read entry by entry', () => {
    const { value, problems } = readTodos('[{"content":"Boil","status":"pending","priority":"high"},{"status":"x"},7]');
    expect(value).toEqual([{ content: 'Boil', status: 'pending', activeForm: null, id: null, priority: 'high' }]);
    expect([...problems]).toEqual([['bad_entry', 2]]);
    expect([...readTodos('{}').problems]).toEqual([['wrong_shape', 1]]);
  });
});

describe('plans', () => {
  it.each([
    ['# Tea for two\n\n1. Boil', 'Tea for two'],
    ['---\nauthor: ada\n---\n\n## Tea\n', 'Tea'],
    ['```sh\n# not this\n```\n# Tea\r\n', 'Tea'],
    ['#hashtag\nno heading', null],
    ['', null],
    [`# ${'x'.repeat(500)}`, 'x'.repeat(200)],
  ])('title of %j', (text, title) => {
    expect(readPlan(text, 'calm-brewing-kettle.md').value).toEqual({ slug: 'calm-brewing-kettle', title, text });
  });

  it.each(['/home/ada/.claude/plans/tea.md', 'C:\\plans\\tea.MD', 'tea'])('slug of %s', (name) => {
    expect(readPlan('', name).value.slug).toBe('tea');
  });
});

describe('live sessions', () => {
  it('are read, with times as numbers or text', () => {
    const file = {
      pid: 7,
      sessionId: '5e55',
      startedAt: 1767312000000,
      updatedAt: '2026-01-02T00:00:00.000Z',
      status: 'idle',
    };
    expect(readLiveSession(JSON.stringify(file)).value).toMatchObject({
      pid: 7,
      sessionId: '5e55',
      startedAtMs: 1767312000000,
      updatedAtMs: 1767312000000,
      status: 'idle',
    });
    expect([...readLiveSession('{"pid":7}').problems]).toEqual([['wrong_shape', 1]]);
  });
});

describe('custom-title.json', () => {
  it.each([
    ['{"customTitle":" Tea "}', 'Tea'],
    ['{"title":"Tea"}', 'Tea'],
    ['"Tea"', 'Tea'],
    ['{"customTitle":""}', null],
    ['7', null],
  ])('%s', (text, title) => {
    expect(readCustomTitle(text).value).toBe(title);
  });
});

describe('workflows', () => {
  it('a run reports its phases and agents', () => {
    const file = {
      runId: 'wf_1',
      workflowName: 'tea',
      status: 'completed',
      totalTokens: 900,
      phases: [{ title: 'Boil', detail: 'x' }, 7],
      workflowProgress: [
        { type: 'workflow_phase', index: 0, title: 'Boil' },
        { type: 'workflow_agent', agentId: 'a1', label: 'kettle', phaseIndex: 0, state: 'done', tokens: 900 },
      ],
    };
    expect(readWorkflowRun(JSON.stringify(file)).value).toMatchObject({
      runId: 'wf_1',
      workflowName: 'tea',
      phases: ['Boil'],
      agents: [{ agentId: 'a1', label: 'kettle', phaseIndex: 0, state: 'done', tokens: 900, model: null }],
    });
  });

  it('a journal reports started agents and their results', () => {
    const text =
      '{"type":"started","agentId":"a1","key":"k"}\n{"type":"result","agentId":"a1","result":{"ok":true}}\n{"x":1}\n';
    const { value, problems } = readWorkflowJournal(text);
    expect(value).toEqual([
      { lineNumber: 1, type: 'started', agentId: 'a1', key: 'k', result: null },
      { lineNumber: 2, type: 'result', agentId: 'a1', key: null, result: { ok: true } },
    ]);
    expect([...problems]).toEqual([['bad_entry', 1]]);
  });
});
