import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SessionDetail } from '../../src/api/sessions.ts';
import type { ToolStats } from '../../src/api/usage.ts';
import { driftOf } from './drift.ts';
import {
  type Bench,
  captured,
  createLab,
  expectGivenBack,
  expectUnderstood,
  isBefore,
  tokensOf,
  until,
  writesNoOutputTokens,
} from './lab.ts';
import { type Answer, type Script, say, tool } from './model.ts';
import { rawBlocks, rawLines, rawTokens, warmUpsIn } from './raw.ts';

/** A one-pixel image. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

const look = [tool('Bash', { command: 'cat README.md', description: 'Look' })];
const todo = (status: string) => ({ content: 'Sweep the shop', status, activeForm: 'Sweeping the shop' });

const SCRIPT: Script = [
  ['look around', [look, say('I may not.')]],
  ['at the picture', [say('It is red.')]],
  ['count the apples', [look, say('Some apples.')]],
  ['and the pears', [say('Some pears.')]],
  ['tell a story', [{ holdsAfterHalfOf: 'Once upon a time there was a shop that sold apples.' }]],
  ['make a plan', [[tool('ExitPlanMode', { plan: '1. Sweep the shop.' })], say('That is the plan.')]],
  ['keep a list', list()],
  [
    'go aside',
    [
      [tool('ToolSearch', { query: 'select:EnterWorktree,ExitWorktree' })],
      [tool('EnterWorktree', { name: 'side' })],
      say('I am aside.'),
    ],
  ],
];

/** A client has only one of the two kinds of lists: calls of the other kind fail. */
function list(): Answer[] {
  return [
    [tool('TodoWrite', { todos: [todo('in_progress')] })],
    [tool('TodoWrite', { todos: [todo('completed')] })],
    [tool('TaskCreate', { subject: 'Sweep the shop', description: 'All of it', activeForm: 'Sweeping the shop' })],
    [tool('TaskUpdate', { taskId: '1', status: 'completed' })],
    say('The list is kept.'),
  ];
}

/** Every byte is kept, every line known, every token counted. */
async function expectWhole(lab: Bench, sessionId: string): Promise<SessionDetail> {
  const session = await captured(lab, sessionId);
  expectUnderstood(session);
  await expectGivenBack(lab, sessionId);
  expect(tokensOf(session)).toEqual(rawTokens(rawLines(lab, sessionId)));
  return session;
}

/** Successful calls of a tool. */
function callsOf(lab: Bench, sessionId: string, name: string) {
  const blocks = rawBlocks(rawLines(lab, sessionId));
  const failed = new Set(blocks.filter(({ is_error }) => is_error === true).map(({ tool_use_id }) => tool_use_id));
  return blocks.filter((block) => block.type === 'tool_use' && block.name === name && !failed.has(block.id));
}

describe('the events of a session', () => {
  it('match the transcript: a call denied by a rule', async () => {
    await using lab = await createLab(SCRIPT);
    const path = join(lab.claudeHome, 'settings.json');
    const settings = JSON.parse(readFileSync(path, 'utf8')) as object;
    writeFileSync(path, JSON.stringify({ ...settings, permissions: { deny: ['Bash(cat:*)'] } }));
    const { sessionId } = await lab.print('Please look around');
    await expectWhole(lab, sessionId);
    expect(callsOf(lab, sessionId, 'Bash')).toEqual([]);
    const { tools } = await lab.ask<{ tools: ToolStats[] }>('tools');
    expect(tools).toMatchObject([{ name: 'Bash', calls: 1, denied: 1 }]);
    expect(driftOf(lab)).toEqual([]);
  });

  it('match the transcript: an image', async (context) => {
    await using lab = await createLab(SCRIPT);
    writeFileSync(join(lab.project, 'pixel.png'), Buffer.from(PIXEL, 'base64'));
    const { sessionId } = await lab.print('Look at the picture @pixel.png');
    const session = await expectWhole(lab, sessionId);
    const isAttached = JSON.stringify(rawLines(lab, sessionId)).includes('"type":"image"');
    if (!isAttached && isBefore('2.1.100')) context.skip('This client attaches no image that a prompt names.');
    expect(isAttached).toBe(true);
    expect(session).toMatchObject({ user_messages: 1, initial_prompt: 'Look at the picture @pixel.png' });
    expect(driftOf(lab)).toEqual([]);
  });

  it('match the transcript: a plan', async () => {
    await using lab = await createLab(SCRIPT);
    const { sessionId } = await lab.print('Please make a plan', { words: ['--permission-mode', 'plan'] });
    await expectWhole(lab, sessionId);
    const { plans } = await lab.ask<{ plans: object[] }>('session', sessionId, '--plans');
    const calls = rawBlocks(rawLines(lab, sessionId)).filter(({ name }) => name === 'ExitPlanMode');
    expect(calls).toHaveLength(1);
    expect(plans).toMatchObject(calls.map(({ id, input }) => ({ tool_use_id: id, text: input?.['plan'] })));
  });

  it('match the transcript: a to-do list', async (context) => {
    await using lab = await createLab(SCRIPT);
    const { sessionId } = await lab.print('Please keep a list', {
      words: ['--tools', 'Bash,TaskCreate,TaskUpdate,TodoWrite'],
    });
    await expectWhole(lab, sessionId);
    const [written, created] = [callsOf(lab, sessionId, 'TodoWrite'), callsOf(lab, sessionId, 'TaskCreate')];
    if (written.length + created.length === 0) context.skip('This client has neither to-dos nor tasks in print mode.');
    const { todos } = await lab.ask<{ todos: object[] }>('session', sessionId, '--todos');
    const wanted = { text: 'Sweep the shop', status: 'completed', agent_id: null };
    expect(todos).toHaveLength(Math.min(written.length, 1) + created.length);
    for (const each of todos) expect(each).toMatchObject(wanted);
  });

  it('match the transcript: a worktree', async (context) => {
    await using lab = await createLab(SCRIPT);
    const { sessionId } = await lab.print('Please go aside');
    await expectWhole(lab, sessionId);
    if (callsOf(lab, sessionId, 'EnterWorktree').length === 0)
      context.skip('This client enters no worktrees in print mode.');
    const { worktrees } = await lab.ask<{ worktrees: object[] }>('session', sessionId, '--worktrees');
    const results = rawLines(lab, sessionId).map(({ toolUseResult }) => toolUseResult as { worktreePath?: string });
    const path = results.find((result) => result?.worktreePath !== undefined)?.worktreePath;
    expect(path).toBe(join(lab.project, '.claude/worktrees/side'));
    expect(worktrees).toMatchObject([{ path, left_at: null }]);
  });

  it('match the transcript: a name given by the user', async () => {
    await using lab = await createLab(SCRIPT);
    const sessionId = randomUUID();
    await using terminal = lab.open('--session-id', sessionId, 'Please count the apples');
    await until(() => expect(lab.transcript(sessionId)).toContain('Some apples.'));
    await terminal.type('/rename fruit');
    const titles = () => rawLines(lab, sessionId).flatMap(({ customTitle }) => customTitle ?? []);
    await until(() => expect(titles().at(-1)).toBe('fruit'));
    await terminal.type('/exit');
    expect(await terminal.left()).toBe(0);
    expect(await expectWhole(lab, sessionId)).toMatchObject({ title: 'fruit', user_messages: 1 });
    expect(driftOf(lab)).toEqual([]);
  });
});

describe('a session whose client was killed', () => {
  it('ends by inference with its last line after some quiet minutes', async (context) => {
    if (isBefore('2.1.4')) context.skip('The agents that this client warms up when it resumes name two sessions.');
    await using lab = await createLab(SCRIPT);
    const sessionId = randomUUID();
    await lab.print('Please count the apples', { words: ['--session-id', sessionId] });
    const client = lab.start('Now tell a story', { words: ['--resume', sessionId] });
    await lab.model.held;
    await captured(lab, sessionId);
    client.kill('SIGKILL');
    expect(await client.done).toMatchObject({ signal: 'SIGKILL' });
    const before = new Date(Date.now() - 10 * 60_000);
    // Old clients also have a debug log and a to-do file for each session.
    for (const file of readdirSync(lab.claudeHome, { recursive: true, withFileTypes: true })) {
      if (file.isFile()) utimesSync(join(file.parentPath, file.name), before, before);
    }
    const times = rawLines(lab, sessionId).flatMap(({ timestamp }) => timestamp ?? []);
    await until(async () => {
      expect(await lab.ask<SessionDetail>('session', sessionId)).toMatchObject({
        end_reason: 'inferred',
        ended_at: times.toSorted().at(-1),
      });
    });
    await expectWhole(lab, sessionId);
  });
});

interface CostReport {
  readonly source: string;
  readonly total: object;
  readonly rows: readonly { readonly key: string; readonly label: string }[];
}

describe('the cost of sessions', () => {
  it('is the same before and after the import, and matches the transcripts', async () => {
    await using lab = await createLab(SCRIPT, { hooks: false });
    const first = (await lab.print('Please count the apples')).sessionId;
    const fork = (await lab.print('Good, and the pears?', { words: ['--resume', first, '--fork-session'] })).sessionId;
    await lab.print('/compact', { words: ['--resume', first] });
    await lab.print('Good, and the pears?', { words: ['--resume', first] });
    const before = await lab.ask<CostReport>('cost', '--by', 'session');
    expect((await lab.fuelCode('backfill')).code).toBe(0);
    const after = await lab.ask<CostReport>('cost', '--by', 'session');
    expect([before.source, after.source]).toEqual(['transcripts', 'store']);
    expect(before.total).toEqual(after.total);
    // Titles are known only after the import.
    const figures = ({ rows }: CostReport) => rows.map((row) => ({ ...row, label: '' }));
    expect(figures(before)).toEqual(figures(after));
    const keys = after.rows.map(({ key }) => key);
    expect(keys).toEqual(expect.arrayContaining([first, fork]));
    // The agents that old clients warm up may have a session of their own.
    if (warmUpsIn(rawLines(lab)) === 0) expect(keys).toHaveLength(2);
    const raw = rawTokens(rawLines(lab));
    expect(after.total).toMatchObject({
      tokens_in: raw.input,
      tokens_out: raw.output,
      cache_read_tokens: raw.cacheRead,
      cache_write_tokens: raw.cacheWrite,
    });
    const { output } = writesNoOutputTokens() ? raw : lab.model.billed();
    expect(raw).toEqual({ ...lab.model.billed(), output });
  });
});
