import { worktreeOf } from '../assemble/session-tools.ts';
import { asObject, asText } from '../read/json.ts';
import type { LineContext } from './context.ts';

/** The session moved into a git worktree, or back (null). */
export function readWorktreeStateLine({ state, record }: LineContext): void {
  const worktree = asObject(record['worktreeSession']);
  if (worktree === null) return;
  const draft = worktreeOf(state, asText(worktree['worktreePath']));
  draft.name ??= asText(worktree['worktreeName']);
  draft.branch ??= asText(worktree['worktreeBranch']);
  draft.originalCwd ??= asText(worktree['originalCwd']);
  draft.originalBranch ??= asText(worktree['originalBranch']);
  draft.originalCommit ??= asText(worktree['originalHeadCommit']);
}
