import type { GitActivity } from '../../src/domain/git.ts';

/** A commit in /r with the given fields. */
export function makeActivity(fields: Pick<GitActivity, 'key' | 'at' | 'sha'> & Partial<GitActivity>): GitActivity {
  return {
    kind: 'commit',
    branch: 'main',
    message: 'a',
    filesChanged: 1,
    insertions: 2,
    deletions: 3,
    folder: '/r',
    worktreeName: null,
    sequence: 0,
    data: {},
    ...fields,
  };
}
