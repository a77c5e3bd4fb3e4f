import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SessionRow } from '../../src/api/sessions.ts';
import {
  type Bench,
  captured,
  costStateOf,
  createLab,
  expectBilled,
  expectBilledTo,
  expectGivenBack,
  expectUnderstood,
  isBefore,
  linesOf,
  until,
} from './lab.ts';
import { type Script, say, text, thinking, tool } from './model.ts';
import { rawLines, warmUpsIn } from './raw.ts';

/** Generous, since the machine may be busy; the real duration is printed. */
const SECONDS_TO_CAPTURE = 10;

const SCRIPT: Script = [
  [
    'count the apples',
    [
      [thinking('I should look.'), text('I look.'), tool('Bash', { command: 'cat README.md', description: 'Look' })],
      say('There are some.'),
    ],
  ],
  ['and the pears', [say('Some, too.')]],
  ['and the plums', [say('None.')]],
  ['tell me a long story', [{ holdsAfterHalfOf: 'Once upon a time there was a shop that sold apples and pears.' }]],
  ['print a lot', [[tool('Bash', { command: 'seq 1 40000', description: 'Print a lot' })], say('That was a lot.')]],
  [
    'ask two helpers',
    [
      [
        tool('Agent', { ...helper('first'), run_in_background: false }),
        tool('Agent', { ...helper('second'), run_in_background: true }),
      ],
      say('Both were asked.'),
    ],
  ],
  [
    'You are the first helper',
    [[tool('Bash', { command: 'wc README.md', description: 'Count' })], say('Three lines.')],
  ],
  ['You are the second helper', [say('It is about fruit.')]],
  ['run a workflow', [[tool('Workflow', { script: workflow() })], say('The workflow runs.')]],
  ['You are a step', [say('The step is done.')]],
  ['<task-notification>', [say('It is back.')]],
];

function helper(name: string) {
  return { description: `The ${name}`, prompt: `You are the ${name} helper.`, subagent_type: 'general-purpose' };
}

interface Boundary {
  readonly uuid?: string;
  readonly logicalParentUuid?: string;
  readonly compactMetadata?: { readonly preservedSegment?: { readonly tailUuid?: string } };
}

/** A resumed client may name a last line before the compaction that it never wrote; newer ones also name the one before. */
function hasPlace(transcript: string): boolean {
  const lines = linesOf(transcript) as readonly Boundary[];
  const written = new Set(lines.map(({ uuid }) => uuid));
  return lines.every(({ logicalParentUuid, compactMetadata }) => {
    const named = [logicalParentUuid, compactMetadata?.preservedSegment?.tailUuid].filter(
      (uuid) => typeof uuid === 'string',
    );
    return named.length === 0 || named.some((uuid) => written.has(uuid));
  });
}

/** The client's own count agrees with ours. Before 2.1.290 it had none. */
function expectSameCount(lab: Bench, sessionId: string): void {
  expect(costStateOf(lab.transcript(sessionId))).toEqual(isBefore('2.1.290') ? null : lab.model.billed());
}

function workflow(): string {
  return `export const meta = { name: 'sweep', description: 'Sweeps the shop', phases: [{ title: 'Sweep' }] };
phase('Sweep');
return { said: await agent('You are a step of the workflow.', { label: 'step' }) };
`;
}

describe('a session in print mode with our hooks', () => {
  it('is captured byte for byte within seconds after its end, with its prompt and its tokens', async () => {
    await using lab = await createLab(SCRIPT);
    const run = await lab.print('Please count the apples');
    expect(run).toMatchObject({ code: 0, result: 'There are some.', stderr: '' });
    const session = await captured(lab, run.sessionId);
    const seconds = (performance.now() - run.endedAt) / 1_000;
    console.log(`Captured and readable ${seconds.toFixed(2)} s after the client had left.`);
    expect(seconds).toBeLessThan(SECONDS_TO_CAPTURE);
    await expectGivenBack(lab, run.sessionId);
    expectUnderstood(session);
    expect(session).toMatchObject({
      initial_prompt: 'Please count the apples',
      cwd: lab.project,
      user_messages: 1,
      tool_use_count: 1,
    });
    // The SessionEnd hook announces that nothing more will follow.
    await until(async () => {
      const row = await lab.ask<SessionRow>('session', run.sessionId, '--no-import');
      expect(row).toMatchObject({ lifecycle: 'summarized', end_reason: 'other' });
    });
    const { sessions: rows } = await lab.ask<{ sessions: SessionRow[] }>('sessions', '--no-import');
    expect(rows.map(({ id }) => id)).toEqual([run.sessionId]);
    expectBilledTo(lab, ...rows);
    expectSameCount(lab, run.sessionId);
  });

  it('is captured while it runs, and survives a SIGKILL in the middle of an answer', async () => {
    await using lab = await createLab(SCRIPT);
    const sessionId = randomUUID();
    const first = await lab.print('Please count the apples', { words: ['--session-id', sessionId] });
    expect(first.code).toBe(0);
    const client = lab.start('Now tell me a long story', { words: ['--resume', sessionId] });
    await lab.model.held;
    const during = await captured(lab, sessionId);
    // Old clients write a prompt together with its answer, except for a line about their queue.
    const isWritten = rawLines(lab, sessionId).some(({ message }) => message?.content === 'Now tell me a long story');
    if (!isBefore('2.1.100')) expect(isWritten).toBe(true);
    const user_messages = isWritten ? 2 : 1;
    expect(during).toMatchObject({ user_messages, lifecycle: 'capturing' });
    client.kill('SIGKILL');
    const killed = await client.done;
    expect(killed).toMatchObject({ code: null, signal: 'SIGKILL' });
    const session = await captured(lab, sessionId);
    await expectGivenBack(lab, sessionId);
    expectUnderstood(session);
    expect(session.user_messages).toBe(user_messages);
    await expectBilled(lab);
  });

  it('is one session with one archived file when it is resumed twice', async () => {
    await using lab = await createLab(SCRIPT);
    const { sessionId } = await lab.print('Please count the apples');
    await captured(lab, sessionId);
    for (const prompt of ['Good, and the pears?', 'Good, and the plums?']) {
      const again = await lab.print(prompt, { words: ['--resume', sessionId] });
      expect(again).toMatchObject({ code: 0, sessionId });
      await captured(lab, sessionId);
      await expectGivenBack(lab, sessionId);
    }
    const { sessions: rows } = await lab.ask<{ sessions: SessionRow[] }>('sessions', '--no-import');
    expect(rows).toMatchObject([{ id: sessionId, user_messages: 3 }]);
    await expectBilled(lab);
    expectSameCount(lab, sessionId);
    const session = await captured(lab, sessionId);
    expectUnderstood(session);
    expect(session.files.filter(({ kind }) => kind === 'main')).toMatchObject([{ generations: 1 }]);
  });

  it('is counted once when it is forked', async () => {
    await using lab = await createLab(SCRIPT);
    const { sessionId } = await lab.print('Please count the apples');
    const fork = await lab.print('Good, and the pears?', { words: ['--resume', sessionId, '--fork-session'] });
    expect(fork.code).toBe(0);
    expect(fork.sessionId).not.toBe(sessionId);
    for (const id of [sessionId, fork.sessionId]) {
      expectUnderstood(await captured(lab, id));
      await expectGivenBack(lab, id);
    }
    const { sessions: rows } = await lab.ask<{ sessions: SessionRow[] }>('sessions', '--no-import');
    expect(rows.map(({ id }) => id).toSorted()).toEqual([sessionId, fork.sessionId].toSorted());
    await expectBilled(lab);
  });

  it('is captured with its sub-agents', async () => {
    await using lab = await createLab(SCRIPT);
    const run = await lab.print('Please ask two helpers');
    expect(run.code).toBe(0);
    const session = await captured(lab, run.sessionId);
    await expectGivenBack(lab, run.sessionId);
    expectUnderstood(session);
    const agents = 2 + warmUpsIn(rawLines(lab, run.sessionId));
    expect(session.subagent_count).toBe(agents);
    expect(session.files.filter(({ kind }) => kind === 'agent')).toHaveLength(agents);
    expectBilledTo(lab, session);
    expectSameCount(lab, run.sessionId);
  });

  it('is captured with a workflow and its agents', async (context) => {
    await using lab = await createLab(SCRIPT);
    const run = await lab.print('Please run a workflow');
    expect(run.code).toBe(0);
    const isMissing = lab.transcript(run.sessionId).includes('No such tool available: Workflow');
    if (isMissing && isBefore('2.1.200')) context.skip('This client has no workflows.');
    const paths = [...lab.filesOf(run.sessionId).keys()];
    expect(paths).toContainEqual(expect.stringMatching(/\/workflows\/wf_[^/]+\.json$/));
    expect(paths).toContainEqual(expect.stringMatching(/\/subagents\/workflows\/wf_[^/]+\/agent-[^/]+\.jsonl$/));
    const session = await captured(lab, run.sessionId);
    await expectGivenBack(lab, run.sessionId);
    expectUnderstood(session);
    expectBilledTo(lab, session);
    expectSameCount(lab, run.sessionId);
  });

  it('is captured with an output that was too large for its transcript', async (context) => {
    if (isBefore('2.1.2')) context.skip('This client has no files for large outputs.');
    await using lab = await createLab(SCRIPT);
    const run = await lab.print('Please print a lot');
    expect(run.code).toBe(0);
    const session = await captured(lab, run.sessionId);
    await expectGivenBack(lab, run.sessionId);
    const whole = Array.from({ length: 40_000 }, (_, at) => `${at + 1}\n`).join('');
    expect(session.files).toContainEqual(expect.objectContaining({ kind: 'tool_result', size_bytes: whole.length }));
    expectUnderstood(session);
  });

  it('is captured through a compaction', async () => {
    await using lab = await createLab(SCRIPT);
    const { sessionId } = await lab.print('Please count the apples');
    const compacted = await lab.print('/compact', { words: ['--resume', sessionId] });
    expect(compacted).toMatchObject({ code: 0, sessionId });
    const after = await lab.print('Good, and the pears?', { words: ['--resume', sessionId] });
    expect(after.code).toBe(0);
    expect(linesOf(lab.transcript(sessionId)).filter(({ subtype }) => subtype === 'compact_boundary')).toHaveLength(1);
    const session = await captured(lab, sessionId);
    await expectGivenBack(lab, sessionId);
    expectUnderstood(session, hasPlace(lab.transcript(sessionId)) ? {} : { orphan_parent: 1 });
    expect(session).toMatchObject({ initial_prompt: 'Please count the apples', user_messages: 2 });
    await expectBilled(lab);
  });
});

describe('a session with a different environment', () => {
  it('is captured into our store, whatever database its project uses', async () => {
    await using lab = await createLab(SCRIPT);
    const nowhere = {
      DATABASE_URL: 'postgres://127.0.0.1:1/shop',
      S3_BUCKET: 'shop',
      S3_ENDPOINT: 'http://127.0.0.1:1',
    };
    mkdirSync(join(lab.project, '.claude'));
    writeFileSync(join(lab.project, '.claude/settings.json'), JSON.stringify({ env: nowhere }));
    const run = await lab.print('Please count the apples');
    expect(run.code).toBe(0);
    await captured(lab, run.sessionId);
    await expectGivenBack(lab, run.sessionId);
  });
});

describe('a session without our hooks', () => {
  // Neither runs a hook from the user's settings, and both write a transcript.
  it.for([{ words: ['--setting-sources', 'project'] }, { words: ['--bare'] }])(
    'is found by the next look: $words',
    async ({ words }, context) => {
      await using lab = await createLab(SCRIPT);
      const run = await lab.print('Please count the apples', { words });
      if (run.stderr.includes('unknown option') && isBefore('2.1.200')) context.skip('This client has no such option.');
      expect(run.code).toBe(0);
      expect((await lab.fuelCode('session', run.sessionId, '--no-import')).stderr).toContain(
        'No session id starts with',
      );
      expect(await lab.fuelCode('worker', '--once')).toMatchObject({ code: 0, stderr: '' });
      const session = await captured(lab, run.sessionId);
      await expectGivenBack(lab, run.sessionId);
      expectUnderstood(session);
      expectBilledTo(lab, session);
    },
  );

  it('is found by a worker that another session started', async () => {
    await using lab = await createLab(SCRIPT);
    const first = await lab.print('Please count the apples');
    await captured(lab, first.sessionId);
    const second = await lab.print('And the pears?', { words: ['--setting-sources', 'project'] });
    const session = await captured(lab, second.sessionId);
    const seconds = (performance.now() - second.endedAt) / 1_000;
    console.log(`Without a hook: captured and readable ${seconds.toFixed(2)} s after the client had left.`);
    expect(seconds).toBeLessThan(SECONDS_TO_CAPTURE);
    expect(session.initial_prompt).toBe('And the pears?');
    await expectGivenBack(lab, second.sessionId);
  });
});
