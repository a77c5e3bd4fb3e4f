import { shortSha } from '../../domain/commits.ts';
import { type OutlineIndex, rootTurn } from './outline-index.ts';

export type Commit = OutlineIndex['commits'][number];

const MAIN = -1;
const NONE = -1;
const chapters = new WeakMap<OutlineIndex, ReadonlyMap<number, readonly Commit[]>>();

/**
 * Commits by the turn of the main conversation in which they happened: those of sub-agents by the turn that started the
 * agent, those of an abandoned branch by the turn that it leaves from.
 */
export function commitsByTurn(index: OutlineIndex): ReadonlyMap<number, readonly Commit[]> {
  const known = chapters.get(index);
  if (known !== undefined) return known;
  const shown = new Set(index.tree.rootsOf(MAIN));
  const fresh = Map.groupBy(index.commits, ({ turn }) => chapterOf(index, shown, turn));
  fresh.delete(NONE);
  chapters.set(index, fresh);
  return fresh;
}

export function commitsOf(index: OutlineIndex, turn: number): readonly Commit[] {
  return commitsByTurn(index).get(turn) ?? [];
}

function chapterOf(index: OutlineIndex, shown: ReadonlySet<number>, turn: number): number {
  const { agent, parent } = index.turns;
  let at = turn < 0 ? NONE : rootTurn(index, turn, agent[turn] ?? MAIN);
  for (const seen = new Set<number>(); at >= 0 && !shown.has(at) && !seen.has(at); at = parent[at] ?? NONE)
    seen.add(at);
  return shown.has(at) ? at : NONE;
}

/** Git printed nothing and the command does not give the message. */
export const NO_OUTPUT = 'without output';

/** `3f2a91c Fix the timetable`. */
export function commitName({ sha, message }: Pick<Commit, 'sha' | 'message'>): string {
  const known = [sha === null ? null : shortSha(sha), message].filter((part) => part !== null);
  return known.length === 0 ? NO_OUTPUT : known.join(' ');
}

/** The turns whose work a commit of this turn contains: those that changed files since the previous commit. */
export function turnsOfCommit(index: OutlineIndex, turn: number): ReadonlySet<number> {
  const { turns, tree } = index;
  const all = tree.rootsOf(turns.agent[turn] ?? MAIN);
  const found = new Set([turn]);
  for (let at = all.indexOf(turn) - 1; at >= 0; at -= 1) {
    const earlier = all[at] as number;
    if (commitsOf(index, earlier).length > 0 || (turns.commits[earlier] ?? 0) > 0) break;
    if ((turns.lines_added[earlier] ?? 0) + (turns.lines_removed[earlier] ?? 0) > 0) found.add(earlier);
  }
  return found;
}
