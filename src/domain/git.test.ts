import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../test/support/any-character.ts';
import { findGitCalls, readCommitCommand } from './git.ts';
import type { GitOperation } from './transcript-structure.ts';

const times = [{ id: 't', startedAt: '2026-11-01T10:00:00.000Z', endedAt: '2026-11-01T10:00:02.000Z' }];
const operation = (more: Partial<GitOperation>): GitOperation => ({
  toolUseId: 't',
  kind: 'commit',
  action: null,
  sha: null,
  branch: null,
  url: null,
  number: null,
  ...more,
});
const calls = (command: string, output: string, operations: readonly GitOperation[] = []) =>
  findGitCalls([{ toolUseId: 't', command, status: 'ok', exitCode: 0, output }], operations, times).map(
    ({ kind, sha, branch, isReported }) => [kind, sha, branch, isReported],
  );

describe('the tool calls of a session', () => {
  it.each([
    ['git commit -m "x"', '[main 1a2b3c4] x\n 1 file changed', [['commit', '1a2b3c4', 'main', true]]],
    ['git commit -m x', '[main (root-commit) 1a2b3c4] x', [['commit', '1a2b3c4', 'main', true]]],
    ['git commit -m x', '[detached HEAD 1a2b3c4] x', [['commit', '1a2b3c4', null, true]]],
    ['git -C /r -c a.b=c --no-pager commit -qm x', '', [['commit', null, null, true]]],
    ['git commit -qm x; ls', '', [['commit', null, null, false]]],
    [
      'cd x && git add . && git commit -qm x && git push',
      '',
      [
        ['commit', null, null, true],
        ['push', null, null, false],
      ],
    ],
    ['make release', '[main 1a2b3c4] release', [['commit', '1a2b3c4', 'main', false]]],
    ['git push', 'To github.com:a/b\n   1a2b3c4..5d6e7f8  main -> main', [['push', '5d6e7f8', 'main', true]]],
    ['git push -u origin x', ' * [new branch]      x -> x', [['push', null, 'x', true]]],
    ['git push', ' ! [rejected]        main -> main (fetch first)', [['push', null, null, false]]],
    ['git fetch', '   1a2b3c4..5d6e7f8  main -> origin/main', []],
    [
      'git pull',
      '',
      [
        ['merge', null, null, false],
        ['rebase', null, null, false],
      ],
    ],
    [
      'git switch x; git reset --hard',
      '',
      [
        ['checkout', null, null, false],
        ['reset', null, null, false],
      ],
    ],
    ['echo digit commit; legit push', '', []],
    ['ls', 'x', []],
  ])('%s, answered by %j', (command, output, wanted) => {
    expect(calls(command, output)).toEqual(wanted);
  });

  it('report a commit once, though the client and git both name it', () => {
    const noted = [operation({ sha: '1a2b3c4d', action: 'committed' })];
    const output = '[main 1a2b3c4] one\n[main 5d6e7f8] two';
    expect(calls('git commit -m one; git commit -m two', output, noted)).toEqual([
      ['commit', '1a2b3c4d', 'main', true],
      ['commit', '5d6e7f8', 'main', true],
    ]);
  });

  it('tell new commits from amended ones, and from the copies that a rebase or a merge prints', () => {
    const found = (command: string, output: string) =>
      findGitCalls([{ toolUseId: 't', command, status: 'ok', exitCode: 0, output }], [], times)
        .filter(({ isReported }) => isReported)
        .map(({ kind, sha, message, data: { how } }) => [kind, sha, message, how]);
    const line = '[main 1a2b3c4] x';
    expect(found('git commit -m x', line)).toEqual([['commit', '1a2b3c4', 'x', undefined]]);
    expect(found('git commit --amend -m x', line)).toEqual([['commit', '1a2b3c4', 'x', 'amend']]);
    expect(found('git rebase --continue', line)).toEqual([['commit', '1a2b3c4', 'x', 'rebase']]);
    expect(found('git merge --continue', line)).toEqual([['merge', null, 'x', undefined]]);
    expect(found('grep -r "git commit" docs', line), 'a text that looks like it').toEqual([]);
    expect(found('git commit -qm a && git commit -qm b && git commit -q --amend -m c', '')).toEqual([
      ['commit', null, 'a', undefined],
      ['commit', null, 'b', undefined],
      ['commit', null, 'c', 'amend'],
    ]);
  });

  it('report a commit once, of the first call that prints it, and none that a fork repeats', () => {
    const call = (toolUseId: string) =>
      ({ toolUseId, command: 'git commit -m x', status: 'ok', exitCode: 0, output: '[main 1a2b3c4] x' }) as const;
    const at = (id: string, startedAt: string) => ({ id, startedAt, endedAt: startedAt });
    const both = [at('late', '2026-11-01T10:05:00.000Z'), at('early', '2026-11-01T10:01:00.000Z')];
    const reported = (own: typeof both) =>
      findGitCalls([call('late'), call('early')], [], own).flatMap((one) => (one.isReported ? one.toolUseId : []));
    expect(reported(both)).toEqual(['early']);
    expect(reported([])).toEqual([]);
  });

  it('report pull requests, pushes and rebases recorded by the client', () => {
    const noted = [
      operation({ kind: 'pr', action: 'created', number: 21, url: 'https://github.com/a/b/pull/21' }),
      operation({ kind: 'push', branch: 'origin/main' }),
      operation({ kind: 'branch', action: 'rebased', branch: 'abc^' }),
      operation({ kind: 'branch', action: 'something new' }),
    ];
    expect(findGitCalls([], noted, times)).toMatchObject([
      { kind: 'pr', data: { number: 21, action: 'created' }, startedAt: times[0]?.startedAt, isReported: true },
      { kind: 'push', branch: 'origin/main' },
      { kind: 'rebase', branch: null },
    ]);
  });

  it('are read quickly and without errors, whatever they contain', () => {
    const part = fc.constantFrom(
      'git ',
      '-c x ',
      '--a=b ',
      'commit ',
      '[main ',
      'abcdef0',
      '] ',
      '\n',
      ' -> ',
      '..',
      ' ',
    );
    const text = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.array(part, { maxLength: 2_000 }).map((parts) => parts.join('')),
    );
    fc.assert(fc.property(text, text, (command, output) => void calls(command, output)));
  });
});

describe('how many commits a command makes', () => {
  it.each([
    ['git commit -qm "Fix it"', 1],
    ['git add -A && git commit -q -m "One" && git commit --allow-empty -qm Two', 2],
    ['cd /r; git -C ../other -c user.name=x commit -m "for each of them; run make now"', 1],
    ['npm test && git commit -am "x" && git push', 1],
  ])('%s', (command, commits) => {
    expect(readCommitCommand(command).commits).toBe(commits);
  });

  it.each([
    ['a loop', 'for f in *; do git add "$f"; git commit -qm "$f"; done'],
    ['a script', './release.sh && git commit -qm Done'],
    ['another shell', 'bash -c "git commit -qm x"'],
    ['a verb of git that makes many', 'git cherry-pick a..b && git commit -qm x'],
    ['xargs', 'ls | xargs -n1 git commit -qm x'],
    ['no commit at all', 'git status'],
  ])('is unknown with %s', (_, command) => {
    expect(readCommitCommand(command).commits).toBeNull();
  });
});

describe('the subjects a command gives', () => {
  it('are the first lines of its messages', () => {
    expect(readCommitCommand('git commit -m "Fix it\n\nBecause." && git commit -am \'Then this\'').subjects).toEqual([
      'Fix it',
      'Then this',
    ]);
  });

  it('include those of a here-document', () => {
    const command = 'git commit -q -m "$(cat <<\'EOF\'\nFix the basket\n\nLonger text.\nEOF\n)"';
    expect(readCommitCommand(command)).toEqual({ commits: 1, subjects: ['Fix the basket'] });
  });
});
