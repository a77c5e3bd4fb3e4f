import { TEAM_LEAD } from '../../domain/teammate-message.ts';
import type { OutlineIndex } from '../rows/outline-index.ts';
import type { GraphNode, LaneKind } from './graph.ts';

const MAIN = -1;
const NONE = -1;

/** A lane before it has a column. */
export interface PlacedLane {
  readonly kind: LaneKind;
  readonly agent: number;
  readonly isAbandoned: boolean;
  readonly nodes: number[];
  lastRow: number;
}

export interface Placed {
  readonly nodes: readonly GraphNode[];
  readonly lanes: readonly PlacedLane[];
  readonly nodeOfTurn: Int32Array;
  /** The turn with the call that started each agent; -1 if unknown. */
  readonly starters: Int32Array;
  /** The lane of the teammate who sent the prompt of a turn; -1 if it was not a teammate. */
  readonly senderOf: (turn: number) => number;
}

/**
 * Gives every turn a lane and a row. Time goes down: a turn of the main conversation is below all that happened before
 * it, and agents that work at the same time are beside each other.
 */
export function placeTurns(index: OutlineIndex): Placed {
  const lanes: PlacedLane[] = [newLane('main', MAIN, false)];
  const laneOfAgent = createAgentLanes(index, lanes);
  const laneOf = assignLanes(index, lanes, laneOfAgent);
  const starters = findStarters(index);
  const senderOf = findSenders(index, lanes);
  const nodes: GraphNode[] = [];
  const nodeOfTurn = new Int32Array(index.turnCount).fill(NONE);
  const pending = pendingCompactions(index);
  let bottom = -1;
  const add = (lane: number, row: number, what: Partial<Omit<GraphNode, 'lane' | 'row'>>) => {
    const placed = lanes[lane] as PlacedLane;
    placed.nodes.push(nodes.length);
    placed.lastRow = row;
    nodes.push({ turn: NONE, compaction: NONE, silent: NONE, ...what, lane, row });
    bottom = Math.max(bottom, row);
  };
  const rowFor = (turn: number) => {
    const lane = lanes[laneOf[turn] as number] as PlacedLane;
    if (lane.agent === MAIN) return bottom + 1;
    const starter = nodes[nodeOfTurn[starters[index.turns.agent[turn] as number] ?? NONE] ?? NONE];
    const sender = lanes[senderOf(turn)];
    return Math.max(lane.lastRow, lanes[0]?.lastRow ?? -1, starter?.row ?? -1, sender?.lastRow ?? -1) + 1;
  };
  const compact = (agent: number, lane: number, before: number) => {
    for (const compaction of pending.take(agent, before)) {
      const { lastRow, nodes: own } = lanes[lane] as PlacedLane;
      const turn = nodes[own.at(-1) ?? NONE]?.turn ?? NONE;
      add(lane, lane === 0 ? bottom + 1 : lastRow + 1, { turn, compaction });
    }
  };
  const silent = silentAgents(index, starters);
  const showSilent = (starter: number) => {
    for (const agent of silent.get(starter) ?? []) {
      const lane = laneOfAgent(agent, false);
      const from = nodes[nodeOfTurn[starter] ?? NONE]?.row ?? -1;
      add(lane, Math.max(lanes[lane]?.lastRow ?? -1, from) + 1, { silent: agent });
    }
  };
  for (const turn of inOrder(index)) {
    const lane = laneOf[turn] as number;
    compact(index.turns.agent[turn] as number, lane, index.turns.ordinal[turn] as number);
    nodeOfTurn[turn] = nodes.length;
    add(lane, rowFor(turn), { turn });
    showSilent(turn);
  }
  showSilent(NONE);
  for (const agent of pending.agents()) compact(agent, lastLaneOf(index, laneOf, agent), Number.POSITIVE_INFINITY);
  return { nodes, lanes, nodeOfTurn, starters, senderOf };
}

/** Agents without a turn, because their files are missing or their messages are in another session, by starter. */
function silentAgents({ agents, turns }: OutlineIndex, starters: Int32Array): ReadonlyMap<number, readonly number[]> {
  const withTurns = new Set(turns.agent);
  const withoutTurns = [...agents.keys()].filter((agent) => !withTurns.has(agent));
  return Map.groupBy(withoutTurns, (agent) => starters[agent] ?? NONE);
}

function newLane(kind: LaneKind, agent: number, isAbandoned: boolean): PlacedLane {
  return { kind, agent, isAbandoned, nodes: [], lastRow: NONE };
}

function lastLaneOf({ turns }: OutlineIndex, laneOf: Int32Array, agent: number): number {
  return agent === MAIN ? 0 : (laneOf[turns.agent.lastIndexOf(agent)] ?? 0);
}

/** Compactions by conversation; each is placed before the next turn of its conversation. */
function pendingCompactions({ compactions }: OutlineIndex) {
  const waiting = Map.groupBy(
    [...compactions.keys()].sort((a, b) => (compactions[a]?.ordinal ?? 0) - (compactions[b]?.ordinal ?? 0)),
    (at) => compactions[at]?.agent ?? MAIN,
  );
  return {
    agents: () => [...waiting.keys()],
    *take(agent: number, before: number) {
      const list = waiting.get(agent) ?? [];
      while (list.length > 0 && (compactions[list[0] as number]?.ordinal ?? 0) < before) yield list.shift() as number;
    },
  };
}

/** Turns by time; a turn without one follows the turn before it, and none comes before the turn it continues. */
function inOrder({ turns, turnCount }: OutlineIndex): readonly number[] {
  const times = new Float64Array(turnCount);
  const last = new Map<number, number>();
  for (let turn = 0; turn < turnCount; turn += 1) {
    const agent = turns.agent[turn] as number;
    const before = last.get(agent) ?? Number.NEGATIVE_INFINITY;
    times[turn] = Math.max(turns.time[turn] ?? before, before);
    last.set(agent, times[turn] as number);
  }
  return Array.from(times.keys()).sort(
    (a, b) =>
      (times[a] === times[b] ? 0 : (times[a] as number) - (times[b] as number)) ||
      (turns.ordinal[a] as number) - (turns.ordinal[b] as number),
  );
}

/** The lane of each turn; adds lanes for branches, agents and teammates. */
function assignLanes(
  { turns, turnCount, tree }: OutlineIndex,
  lanes: PlacedLane[],
  laneOfAgent: (agent: number, isAbandoned: boolean) => number,
): Int32Array {
  const laneOf = new Int32Array(turnCount);
  const continued = new Set<number>();
  for (let turn = 0; turn < turnCount; turn += 1) {
    const agent = turns.agent[turn] as number;
    if (agent !== MAIN) {
      laneOf[turn] = laneOfAgent(agent, turns.branch[turn] === 1);
      continue;
    }
    const fold = tree.foldOf[turn] as number;
    if (fold === NONE) continue;
    const parent = turns.parent[turn] as number;
    if (parent >= 0 && parent < turn && tree.foldOf[parent] === fold && !continued.has(parent)) {
      continued.add(parent);
      laneOf[turn] = laneOf[parent] as number;
    } else {
      laneOf[turn] = lanes.push(newLane('branch', MAIN, true)) - 1;
    }
  }
  return laneOf;
}

/** A teammate keeps its lane although each message to it can start a new agent. */
function createAgentLanes({ agents }: OutlineIndex, lanes: PlacedLane[]) {
  const known = new Map<string, number>();
  return (agent: number, isAbandoned: boolean): number => {
    const { agent_name = null, team_name = null } = agents[agent] ?? {};
    const isTeammate = agent_name !== null && team_name !== null;
    const key = isTeammate ? `${team_name}\n${agent_name}` : String(agent);
    const lane = known.get(key) ?? lanes.push(newLane(isTeammate ? 'teammate' : 'agent', agent, isAbandoned)) - 1;
    known.set(key, lane);
    return lane;
  };
}

function findSenders({ turns, agents }: OutlineIndex, lanes: readonly PlacedLane[]) {
  const laneOf = new Map(
    lanes.map(({ agent }, lane) => [agents[agent]?.agent_name ?? TEAM_LEAD, lane] as const).reverse(),
  );
  laneOf.set(TEAM_LEAD, 0);
  return (turn: number) => laneOf.get(turns.sender[turn] ?? '') ?? NONE;
}

/** The turn whose call started an agent, else the last turn of the main conversation that began before the agent. */
function findStarters({ agents, callOf, columns, turns, tree }: OutlineIndex): Int32Array {
  const starters = new Int32Array(agents.length).fill(NONE);
  const main = tree.rootsOf(MAIN);
  for (const agent of agents.keys()) {
    const call = callOf[agent] as number;
    const began = turns.time[turns.agent.indexOf(agent)] ?? Number.POSITIVE_INFINITY;
    starters[agent] =
      call === NONE
        ? (main.findLast((turn) => (turns.time[turn] ?? Number.NEGATIVE_INFINITY) <= began) ?? NONE)
        : (columns.turn[call] as number);
  }
  return starters;
}
