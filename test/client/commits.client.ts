import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { GitActivityRow } from '../../src/api/activity.ts';
import { type Bench, captured, createLab, until } from './lab.ts';
import { type Script, say, tool } from './model.ts';

const COMMIT = 'echo Plums. >> README.md && git -c user.name=Ada -c user.email=ada@example.invalid commit -qam plums';

const SCRIPT: Script = [
  ['apples', [say('Some apples.')]],
  ['plums', [[tool('Bash', { command: COMMIT, description: 'Commit' })], say('Committed.')]],
];

/** Git timestamps have whole seconds, so the commit is dated a minute later. */
function commitByHand(lab: Bench, message: string): string {
  appendFileSync(join(lab.project, 'README.md'), `${message}\n`);
  const date = new Date(Date.now() + 60_000).toISOString();
  lab.git({ GIT_COMMITTER_DATE: date, GIT_AUTHOR_DATE: date }, 'commit', '--quiet', '--all', `--message=${message}`);
  return lab.git({}, 'rev-parse', 'HEAD').trim();
}

/** Waits until no worker is importing; until then, a command reports that more may follow. */
async function expectGit(lab: Bench, sessionId: string, wanted: readonly Partial<GitActivityRow>[]): Promise<void> {
  await until(async () => {
    const { code, stdout, stderr } = await lab.fuelCode('session', sessionId, '--git', '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { git_activity } = JSON.parse(stdout) as { git_activity: GitActivityRow[] };
    expect(git_activity).toMatchObject(wanted);
    expect(git_activity).toHaveLength(wanted.length);
  });
}

describe('commits around a session', () => {
  it.each([
    { hooks: true, relation: 'after' },
    // Its end was not reported, so it counts as running for some minutes.
    { hooks: false, relation: 'meanwhile' },
  ] as const)('made after its end belongs to it at the next import (hooks: $hooks)', async ({ hooks, relation }) => {
    await using lab = await createLab(SCRIPT, { hooks });
    const { sessionId } = await lab.print('Count the apples');
    if (hooks) await captured(lab, sessionId);
    else expect((await lab.fuelCode('backfill')).code).toBe(0);
    const commit_sha = commitByHand(lab, 'by hand');
    await expectGit(lab, sessionId, [{ type: 'commit', relation, message: 'by hand', commit_sha }]);
  });

  it('made by the session belong to it, a later one made by hand does not', async () => {
    await using lab = await createLab(SCRIPT);
    const { sessionId } = await lab.print('Sell the plums');
    await captured(lab, sessionId);
    const own = lab.git({}, 'rev-parse', 'HEAD').trim();
    const later = commitByHand(lab, 'by hand');
    await expectGit(lab, sessionId, [
      { type: 'commit', relation: 'own', message: 'plums', commit_sha: own },
      { type: 'commit', relation: 'after', message: 'by hand', commit_sha: later },
    ]);
  });
});
