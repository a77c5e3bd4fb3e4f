import type { OutlineIndex } from './outline-index.ts';

/** The turns whose work a commit of this turn holds: those that changed files since the commit before it. */
export function turnsOfCommit(
  { turns, tree }: Pick<OutlineIndex, 'turns' | 'tree'>,
  turn: number,
): ReadonlySet<number> {
  const all = tree.rootsOf(turns.agent[turn] ?? -1);
  const found = new Set([turn]);
  for (let at = all.indexOf(turn) - 1; at >= 0; at -= 1) {
    const earlier = all[at] as number;
    if ((turns.commits[earlier] ?? 0) > 0) break;
    if ((turns.lines_added[earlier] ?? 0) + (turns.lines_removed[earlier] ?? 0) > 0) found.add(earlier);
  }
  return found;
}
