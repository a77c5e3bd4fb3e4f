import type { Outline } from '../../api/outline.ts';
import { linkAgents } from './agents.ts';
import { type Columns, hasFlag, readColumns } from './columns.ts';
import { fullestContext } from './context-size.ts';
import { buildTree, type TurnTree } from './tree.ts';

const MAIN = -1;
const NONE = -1;

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
  /** Items by group: one group per turn, then one per conversation for items outside its turns. Groups can have gaps between them. */
  readonly order: Int32Array;
  /** The position of each item in `order`. */
  readonly positions: Int32Array;
  /** Where each group starts and ends in `order`, and up to where it can grow. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly limits: Int32Array;
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
  /** The same for an index and all that have grown from it. */
  readonly origin: object;
  /** What it has that the previous index did not; null if it was built from scratch. */
  readonly growth: Growth | null;
  /** The most tokens in the context of the main conversation. */
  readonly fullest: number;
  /** How many items were read to build it. */
  readonly itemsRead: number;
}

interface Growth {
  /** Of the index before it. */
  readonly revision: string;
  /** Items and turns that were replaced or added. */
  readonly items: readonly number[];
  readonly turns: readonly number[];
}

export function indexOutline(outline: Outline): OutlineIndex {
  return indexColumns(readColumns(outline), outline);
}

type Rest = Omit<Outline, 'items' | 'kinds' | 'since'>;

/** Builds the whole index. */
export function indexColumns(columns: Columns, rest: Rest): OutlineIndex {
  const links = linkAgents(columns, rest.agents);
  const fullest = fullestContext(columns, columns.ordinal.keys());
  const built = { origin: {}, growth: null, fullest, itemsRead: columns.count };
  return {
    ...built,
    columns,
    ...groupItems(columns, rest.turns, rest.agents.length),
    ...linkRest(columns, rest, links),
  };
}

/** What depends on the number of turns and agents only. */
export function linkRest(columns: Columns, rest: Rest, linked: ReturnType<typeof linkAgents>) {
  const { revision, turns, agents, branches, compactions, commits } = rest;
  const { looseAgents, ...links } = linked;
  const turnCount = turns.ordinal.length;
  const tree = buildTree({ turns, branches });
  const startsAt = (agent: number) => columns.ordinal[links.firstOfAgent[agent] as number] as number;
  const looseIn = Map.groupBy(looseAgents, (agent) => {
    const turn = lastStarted(tree.rootsOf(MAIN), turns, startsAt(agent));
    return turn < 0 ? leadGroup({ turnCount }, MAIN) : turn;
  });
  return { revision, turns, turnCount, agents, branches, compactions, commits, tree, ...links, looseIn };
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

/** The group of an item. */
export function groupOf({ turn, agent }: Columns, turns: Turns, item: number): number {
  const own = turn[item] as number;
  const isOwn = own >= 0 && turns.agent[own] === agent[item];
  return isOwn ? own : turns.ordinal.length + (agent[item] as number) + 1;
}

/** Sorts items by group, in one pass over the columns. */
function groupItems(columns: Columns, turns: Turns, agentCount: number) {
  const groups = new Int32Array(columns.count);
  const ends = new Int32Array(turns.ordinal.length + agentCount + 1);
  for (let item = 0; item < columns.count; item += 1) {
    const group = groupOf(columns, turns, item);
    groups[item] = group;
    ends[group] = (ends[group] as number) + 1;
  }
  for (let at = 1; at < ends.length; at += 1) ends[at] = (ends[at] as number) + (ends[at - 1] as number);
  const starts = new Int32Array(ends.length);
  starts.set(ends.subarray(0, -1), 1);
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
  return { order, positions, starts, ends, limits: ends.slice() };
}

/** The messages of a turn. */
export function rangeOfTurn({ turns, agents }: Pick<OutlineIndex, 'turns' | 'agents'>, turn: number) {
  const agentId = agents[turns.agent[turn] ?? MAIN]?.agent_id ?? null;
  return { from: turns.ordinal[turn] ?? 0, to: turns.last_ordinal[turn] ?? 0, agentId };
}

/** Whether a turn was copied from another session. */
export function isInherited({ columns, order, starts, ends }: OutlineIndex, turn: number): boolean {
  const start = starts[turn] as number;
  return start < (ends[turn] as number) && hasFlag(columns, order[start] as number, 'inherited');
}

/** The turn of the main conversation behind a turn of an agent, which other agents may have started; -1 if unknown. */
export function rootTurn({ callOf, columns, looseIn, turnCount }: OutlineIndex, turn: number, agent: number): number {
  let [at, of] = [turn, agent];
  for (let depth = 0; of !== MAIN; depth += 1) {
    const call = callOf[of] ?? NONE;
    if (call === NONE || depth > callOf.length) {
      const group = [...looseIn].find(([, agents]) => agents.includes(of))?.[0] ?? turnCount;
      return group < turnCount ? group : NONE;
    }
    at = columns.turn[call] as number;
    of = columns.agent[call] as number;
  }
  return at;
}
