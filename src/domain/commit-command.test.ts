import { describe, expect, it } from 'vitest';
import { readCommitCommand } from './commit-command.ts';

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

  it('also from a here-document', () => {
    const command = 'git commit -q -m "$(cat <<\'EOF\'\nFix the basket\n\nLonger text.\nEOF\n)"';
    expect(readCommitCommand(command)).toEqual({ commits: 1, subjects: ['Fix the basket'] });
  });
});
