import { asObject, asText } from '../read/json.ts';
import type { LineContext } from './context.ts';

/** The session moved into a git worktree, or back (null). */
export function readWorktreeStateLine({ state, record }: LineContext): void {
  const worktree = asObject(record['worktreeSession']);
  if (worktree === null) return;
  const path = asText(worktree['worktreePath']);
  state.worktrees.set(path ?? '', {
    name: asText(worktree['worktreeName']),
    path,
    branch: asText(worktree['worktreeBranch']),
    originalCwd: asText(worktree['originalCwd']),
  });
}
