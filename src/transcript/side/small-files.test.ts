import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HAS_REAL_FILES, REAL_FILES } from '../../../test/support/shared-data.ts';
import {
  readAgentMeta,
  readCustomTitle,
  readHistory,
  readLiveSession,
  readPlan,
  readSessionsIndex,
  readTask,
  readTodos,
  readWorkflowJournal,
  readWorkflowRun,
} from './small-files.ts';

const REAL_HISTORY = join(REAL_FILES, 'chloebrett+slay/.claude/history.jsonl');

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

  it.runIf(HAS_REAL_FILES)('real files have a type and a description', () => {
    const files = readdirSync(REAL_FILES, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.meta.json'),
    );
    const metas = files.map((name) => readAgentMeta(readFileSync(join(REAL_FILES, name))).value);
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

describe('history.jsonl', () => {
  it('yields prompts with pasted content', () => {
    const line = {
      display: 'brew [Pasted text #1]',
      pastedContents: {
        '1': { id: 1, type: 'text', content: 'oolong' },
        '2': { type: 'image', contentHash: 'h' },
        '3': 0,
      },
      timestamp: 1767312000000,
      project: '/home/ada/tea',
      sessionId: '5e55',
    };
    expect(readHistory(`${JSON.stringify(line)}\n`)).toEqual({
      value: [
        {
          lineNumber: 1,
          display: 'brew [Pasted text #1]',
          timestampMs: 1767312000000,
          project: '/home/ada/tea',
          sessionId: '5e55',
          pasted: [
            { id: '1', type: 'text', content: 'oolong', contentHash: null, mediaType: null, filename: null },
            { id: '2', type: 'image', content: null, contentHash: 'h', mediaType: null, filename: null },
          ],
        },
      ],
      problems: new Map(),
    });
  });

  it('counts lines that are not prompts', () => {
    const { value, problems } = readHistory('{"display":"a"}\n{"project":"/"}\nno\n');
    expect(value.map((entry) => [entry.lineNumber, entry.display])).toEqual([[1, 'a']]);
    expect(Object.fromEntries(problems)).toEqual({ bad_entry: 1, invalid_json: 1 });
  });

  it.runIf(HAS_REAL_FILES)('a real file is read completely', () => {
    const { value, problems } = readHistory(readFileSync(REAL_HISTORY));
    expect(value).toHaveLength(2);
    expect(value.every((entry) => entry.timestampMs !== null && entry.sessionId !== null)).toBe(true);
    expect(problems.size).toBe(0);
  });
});

const entry = {
  sessionId: '5e55',
  fullPath: '/home/ada/.claude/projects/-tea/5e55.jsonl',
  fileMtime: 1767312000000,
  firstPrompt: 'Make tea',
  summary: 'Tea',
  messageCount: 8,
  created: '2026-01-02T00:00:00.000Z',
  modified: '2026-01-02T00:10:00.000Z',
  gitBranch: '',
  projectPath: '/home/ada/tea',
  isSidechain: false,
};
const read = { ...entry, fileMtime: undefined, fileMtimeMs: 1767312000000, customTitle: null };

describe('sessions-index.json', () => {
  it('is read as an object with entries', () => {
    const { value, problems } = readSessionsIndex(
      JSON.stringify({ version: 1, entries: [entry], originalPath: '/home/ada/tea' }),
    );
    expect(value).toEqual({ version: 1, originalPath: '/home/ada/tea', entries: [read] });
    expect(problems.size).toBe(0);
  });

  it('is read as a bare array', () => {
    expect(readSessionsIndex(JSON.stringify([entry])).value).toEqual({
      version: null,
      originalPath: null,
      entries: [read],
    });
  });

  it('keeps valid entries beside invalid ones, and valid fields beside invalid ones', () => {
    const { value, problems } = readSessionsIndex(
      JSON.stringify({
        version: 'one',
        entries: [{ sessionId: 's', messageCount: 'many' }, { summary: 'x' }, 7, null],
      }),
    );
    expect(value.version).toBeNull();
    expect(value.entries).toHaveLength(1);
    expect(value.entries[0]).toMatchObject({ sessionId: 's', messageCount: null, summary: null });
    expect(problems).toEqual(new Map([['bad_entry', 3]]));
  });

  it.each([
    ['{', 'invalid_json'],
    ['"text"', 'wrong_shape'],
  ])('%j yields nothing and a problem', (text, problem) => {
    const { value, problems } = readSessionsIndex(text);
    expect(value.entries).toEqual([]);
    expect([...problems]).toEqual([[problem, 1]]);
  });

  it('reads no field from a prototype', () => {
    const text = '{"entries":[{"__proto__":{"sessionId":"s"}}]}';
    expect(readSessionsIndex(text).problems).toEqual(new Map([['bad_entry', 1]]));
  });
});
