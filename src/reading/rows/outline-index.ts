import type { Outline } from '../../api/outline.ts';
import { type Columns, readColumns } from './columns.ts';
import { linkAgents } from './agents.ts';
import { buildTree, type TurnTree } from './tree.ts';

const MAIN = -1;

export type Turns = Outline['turns'];

/** An outline, prepared so that any part of it is found without walking through all of it. */
export interface OutlineIndex {
  readonly revision: string;
  readonly columns: Columns;
  readonly turns: Turns;
  readonly turnCount: number;
  readonly agents: Outline['agents'];
  readonly branches: Outline['branches'];
  readonly compactions: Outline['compactions'];
  readonly commits: Outline['commits'];
  /** Items by group: one group per turn, then one per conversation for items outside its turns. */
  readonly order: Int32Array;
  /** The position of each item in `order`. */
  readonly positions: Int32Array;
  /** Where each group starts in `order`; one more than there are groups. */
  readonly starts: Int32Array;
  readonly tree: TurnTree;
  /** The call that started an agent and that can be reached from the main conversation; -1 if there is none. */
  readonly callOf: Int32Array;
  /** The agents that a call started. */
  readonly startedBy: ReadonlyMap<number, readonly number[]>;
  /** Agents without such a call, by the group of the main conversation in which they started. */
  readonly looseIn: ReadonlyMap<number, readonly number[]>;
  /** The first and the last item of each agent; -1 if it has none. */
  readonly firstOfAgent: Int32Array;
  readonly lastOfAgent: Int32Array;
}

export function indexOutline(outline: Outline): OutlineIndex {
  const columns = readColumns(outline);
  const { turns, agents, branches, compactions, commits } = outline;
  const turnCount = turns.ordinal.length;
  const tree = buildTree(outline);
  const { looseAgents, ...links } = linkAgents(columns, agents);
  const startsAt = (agent: number) => columns.ordinal[links.firstOfAgent[agent] as number] as number;
  return {
    revision: outline.revision,
    columns,
    turns,
    turnCount,
    agents,
    branches,
    compactions,
    commits,
    ...groupItems(columns, turns, agents.length),
    tree,
    ...links,
    looseIn: Map.groupBy(looseAgents, (agent) => {
      const turn = lastStarted(tree.rootsOf(MAIN), turns, startsAt(agent));
      return turn < 0 ? leadGroup({ turnCount }, MAIN) : turn;
    }),
  };
}

/** The last of these turns that started at or before a position; -1 if there is none. */
export function lastStarted(sorted: readonly number[], { ordinal }: Turns, wanted: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ordinal[sorted[middle] as number] as number) <= wanted) low = middle + 1;
    else high = middle;
  }
  return sorted[low - 1] ?? -1;
}

/** The group of items outside the turns of a conversation. */
export function leadGroup({ turnCount }: Pick<OutlineIndex, 'turnCount'>, agent: number): number {
  return turnCount + agent + 1;
}

/** Sorts items by group, in one pass over the columns. */
function groupItems(columns: Columns, turns: Turns, agentCount: number) {
  const turnCount = turns.ordinal.length;
  const groups = new Int32Array(columns.count);
  const starts = new Int32Array(turnCount + agentCount + 2);
  for (let item = 0; item < columns.count; item += 1) {
    const turn = columns.turn[item] as number;
    const agent = columns.agent[item] as number;
    const group = turn >= 0 && turns.agent[turn] === agent ? turn : turnCount + agent + 1;
    groups[item] = group;
    starts[group + 1] = (starts[group + 1] as number) + 1;
  }
  for (let at = 1; at < starts.length; at += 1) starts[at] = (starts[at] as number) + (starts[at - 1] as number);
  const next = starts.slice();
  const order = new Int32Array(columns.count);
  const positions = new Int32Array(columns.count);
  for (let item = 0; item < columns.count; item += 1) {
    const group = groups[item] as number;
    const position = next[group] as number;
    next[group] = position + 1;
    order[position] = item;
    positions[item] = position;
  }
  return { order, positions, starts };
}

/** The messages of a turn. */
export function rangeOfTurn({ turns, agents }: Pick<OutlineIndex, 'turns' | 'agents'>, turn: number) {
  const agentId = agents[turns.agent[turn] ?? MAIN]?.agent_id ?? null;
  return { from: turns.ordinal[turn] ?? 0, to: turns.last_ordinal[turn] ?? 0, agentId };
}
