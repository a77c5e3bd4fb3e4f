import { describe, expect, it } from 'vitest';
import type { StatusReport } from '../../src/api/server.ts';
import type { SessionRow } from '../../src/api/sessions.ts';
import { captured, createLab, expectBilledTo, expectGivenBack } from './lab.ts';
import { type Script, say } from './model.ts';

const SCRIPT: Script = [
  ['apples', [say('Some apples.')]],
  ['pears', [say('Some pears.')]],
  ['plums', [say('Some plums.')]],
];

interface HooksStatus {
  readonly homes: readonly { readonly path: string; readonly installed: boolean }[];
}

describe('two Claude homes with our hooks', () => {
  it('feed one data folder', async () => {
    await using lab = await createLab(SCRIPT);
    const work = await lab.addHome('claude-work');
    // Both at once: the second hook finds the worker of the first.
    const [own, other] = await Promise.all([lab.print('Count the apples'), work.print('Count the pears')]);
    expect([own.code, other.code]).toEqual([0, 0]);
    expect(lab.filesOf(other.sessionId).size).toBe(0);
    await captured(lab, own.sessionId);
    await captured(work, other.sessionId);
    // The home of the command line does not matter for data that is already known.
    const { sessions } = await work.ask<{ sessions: SessionRow[] }>('sessions', '--no-import');
    expect(sessions.map(({ id }) => id).toSorted()).toEqual([own.sessionId, other.sessionId].toSorted());
    expectBilledTo(lab, ...sessions);
    for (const bench of [lab, work]) {
      const { claude_homes } = await bench.ask<StatusReport>('status');
      expect(claude_homes.map(({ path }) => path).toSorted()).toEqual([lab.claudeHome, work.claudeHome]);
      const { homes } = await bench.ask<HooksStatus>('hooks', 'status');
      expect(homes.map(({ path, installed }) => [path, installed]).toSorted()).toEqual([
        [lab.claudeHome, true],
        [work.claudeHome, true],
      ]);
    }
    await expectGivenBack(lab, own.sessionId);
    await expectGivenBack(work, other.sessionId);
  });

  it('are both read by a command that was started for one of them', async () => {
    await using lab = await createLab(SCRIPT);
    const work = await lab.addHome('claude-work');
    const run = await work.print('Count the plums', { words: ['--setting-sources', 'project'] });
    const { sessions } = await lab.ask<{ sessions: SessionRow[] }>('sessions');
    expect(sessions.map(({ id }) => id)).toEqual([run.sessionId]);
    await captured(work, run.sessionId);
    await expectGivenBack(work, run.sessionId);
  });
});
