import { firstItemFrom, hasFlag } from './columns.ts';
import { lastStarted, leadGroup, type OutlineIndex } from './outline-index.ts';

const NONE = -1;
const MAIN = -1;

/** The main conversation in parts that are built and kept one by one: what precedes all turns, then each turn. */
export interface Sections {
  /** The turn of each section; -1 for the first section. */
  readonly turns: readonly number[];
  /** How many sections at the beginning were copied from another session. */
  readonly inherited: number;
  /** The section of any turn, also of abandoned ones and of sub-agents. */
  sectionOfTurn(turn: number): number;
  sectionOfAgent(agent: number): number;
  sectionOfItem(item: number): number;
  sectionOfOrdinal(ordinal: number): number;
}

export function sectionsOf(index: OutlineIndex): Sections {
  const { columns, tree, turns, callOf, firstOfAgent } = index;
  const roots = tree.rootsOf(MAIN);
  const ofRoot = new Map(roots.map((turn, at) => [turn, at + 1]));
  const groupOf = (section: number) => (section === 0 ? leadGroup(index, MAIN) : (roots[section - 1] as number));
  const sectionOfItem = (item: number): number => {
    const agent = columns.agent[item] as number;
    const turn = columns.turn[item] as number;
    if (agent >= 0) return sectionOfAgent(agent);
    return turn >= 0 && turns.agent[turn] === MAIN ? sectionOfTurn(turn) : 0;
  };
  const sectionOfAgent = (agent: number): number => {
    const call = callOf[agent] ?? NONE;
    if (call >= 0) return sectionOfItem(call);
    const first = firstOfAgent[agent] ?? NONE;
    if (first < 0) return NONE;
    return ofRoot.get(lastStarted(roots, turns, columns.ordinal[first] as number)) ?? 0;
  };
  const sectionOfTurn = (turn: number): number => {
    if (turns.agent[turn] !== MAIN && turns.agent[turn] !== undefined) return sectionOfAgent(turns.agent[turn]);
    let at = turn;
    while (at >= 0 && !ofRoot.has(at)) at = index.branches[tree.foldOf[at] ?? NONE]?.current ?? NONE;
    return ofRoot.get(at) ?? 0;
  };
  const allSections = [NONE, ...roots];
  return {
    turns: allSections,
    inherited: countInherited(index, allSections.length, groupOf),
    sectionOfTurn,
    sectionOfAgent,
    sectionOfItem,
    sectionOfOrdinal: (ordinal) => {
      const item = firstItemFrom(columns, ordinal);
      return columns.ordinal[item] === ordinal ? sectionOfItem(item) : NONE;
    },
  };
}

/** Leading sections whose items were all copied from another session. */
function countInherited(index: OutlineIndex, count: number, groupOf: (section: number) => number): number {
  let inherited = 0;
  for (let section = 0; section < count; section += 1) {
    const group = groupOf(section);
    const from = index.starts[group] as number;
    const to = index.starts[group + 1] as number;
    for (let at = from; at < to; at += 1)
      if (!hasFlag(index.columns, index.order[at] as number, 'inherited')) return inherited;
    if (to > from) inherited = section + 1;
  }
  return inherited;
}
