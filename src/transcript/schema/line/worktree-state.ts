import { openFields, opt, str } from '../kit.ts';
import { stateLine } from './state-line.ts';

export const WorktreeStateLineSchema = stateLine(
  'worktree-state',
  'The session works in a git worktree; null: no more.',
  {
    worktreeSession: opt(
      openFields({
        originalCwd: opt(str),
        worktreePath: opt(str),
        worktreeName: opt(str),
        worktreeBranch: opt(str),
        originalBranch: opt(str),
        originalHeadCommit: opt(str),
        sessionId: opt(str),
      }),
    ),
  },
);
