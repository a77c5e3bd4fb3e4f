import type { OutlineIndex } from './outline-index.ts';
import { agentKey, INHERITED_KEY, waysKey } from './row.ts';
import type { Reveal } from './section.ts';
import { sectionsOf } from './sections.ts';

export interface Path {
  /** Keys of rows that must be unfolded. */
  readonly open: readonly number[];
  readonly reveal: Reveal;
}

/** What hides an item: the sub-agents around it, abandoned branches, and the copied beginning. */
export function pathTo(index: OutlineIndex, item: number): Path {
  const { columns, callOf, branches, tree } = index;
  const open: number[] = [];
  const agents = new Set<number>();
  const openFolds = (start: number) => {
    const turn = columns.turn[start] as number;
    const isOwn = turn >= 0 && index.turns.agent[turn] === columns.agent[start];
    for (let fold = isOwn ? (tree.foldOf[turn] ?? -1) : -1; fold >= 0; ) {
      open.push(waysKey(index, fold));
      fold = tree.foldOf[branches[fold]?.current ?? -1] ?? -1;
    }
  };
  for (let at = item; at >= 0; ) {
    openFolds(at);
    const agent = columns.agent[at] as number;
    if (agent < 0) break;
    agents.add(agent);
    open.push(agentKey(index, agent));
    at = callOf[agent] ?? -1;
  }
  const sections = sectionsOf(index);
  const isInherited = sections.sectionOfItem(item) < sections.inherited && sections.inherited < sections.turns.length;
  if (isInherited) open.push(INHERITED_KEY);
  return { open, reveal: { items: new Set([item]), agents } };
}
