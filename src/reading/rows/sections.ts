import { firstItemFrom, hasFlag } from './columns.ts';
import { lastStarted, leadGroup, type OutlineIndex } from './outline-index.ts';
import { agentKey, INHERITED_KEY, waysKey } from './row.ts';
import type { Reveal } from './section.ts';

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

interface GrownSections {
  readonly sections: Sections;
  /** Sections with other rows than before. */
  readonly changed: ReadonlySet<number>;
}

/**
 * The sections of an index that has grown from another one. Null if what was there may be in other sections now, because
 * the conversation was rewound or an agent was linked to its call.
 */
export function grownSections(before: OutlineIndex, known: Sections, index: OutlineIndex): GrownSections | null {
  const { growth } = index;
  if (growth === null || growth.revision !== before.revision || !isSamePlaces(before, index)) return null;
  const { sectionOfItem, sectionOfTurn } = sectionsOf(index, 0);
  const changed = new Set([...growth.items.map(sectionOfItem), ...growth.turns.map(sectionOfTurn)]);
  const isBeginningSame =
    known.inherited < known.turns.length &&
    [...changed].every((section) => section >= known.inherited) &&
    !growth.items.some((item) => hasFlag(index.columns, item, 'inherited'));
  return { sections: sectionsOf(index, isBeginningSame ? known.inherited : null), changed };
}

function isSamePlaces(before: OutlineIndex, index: OutlineIndex): boolean {
  const { growth, turns } = index;
  const old = growth?.turns.filter((turn) => turn < before.turnCount) ?? [];
  const [roots, rootsBefore] = [index.tree.rootsOf(MAIN), before.tree.rootsOf(MAIN)];
  return (
    JSON.stringify(before.branches) === JSON.stringify(index.branches) &&
    old.every((turn) => FIXED.every((name) => before.turns[name][turn] === turns[name][turn])) &&
    rootsBefore.every((turn, at) => roots[at] === turn) &&
    before.callOf.every((call, agent) => index.callOf[agent] === call) &&
    [...before.looseIn].every(([group, agents]) => {
      const now = index.looseIn.get(group < before.turnCount ? group : group - before.turnCount + index.turnCount);
      return agents.every((agent) => now?.includes(agent) === true);
    })
  );
}

/** The properties that decide where a turn is shown. */
const FIXED = ['ordinal', 'agent', 'branch', 'parent'] as const;

/** The number of copied sections is counted unless it is known. */
export function sectionsOf(index: OutlineIndex, inherited: number | null = null): Sections {
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
    inherited: inherited ?? countInherited(index, allSections.length, groupOf),
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
    const to = index.ends[group] as number;
    for (let at = from; at < to; at += 1)
      if (!hasFlag(index.columns, index.order[at] as number, 'inherited')) return inherited;
    if (to > from) inherited = section + 1;
  }
  return inherited;
}

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
