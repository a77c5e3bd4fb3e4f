import type { Outline } from '../../api/outline.ts';
import { type Columns, findItem, isCall } from './columns.ts';

const NONE = -1;
const MAIN = -1;

interface KnownEnds {
  /** How many items were read. */
  readonly count: number;
  readonly firstOfAgent: Int32Array;
  readonly lastOfAgent: Int32Array;
}

const NOTHING_KNOWN: KnownEnds = { count: 0, firstOfAgent: new Int32Array(), lastOfAgent: new Int32Array() };

/** Finds the call that started each agent, and where each agent begins and ends. */
export function linkAgents(columns: Columns, agents: Outline['agents'], known = NOTHING_KNOWN) {
  const callOf = Int32Array.from(agents, (agent) => callItem(columns, agent));
  const firstOfAgent = new Int32Array(agents.length).fill(NONE);
  const lastOfAgent = new Int32Array(agents.length).fill(NONE);
  firstOfAgent.set(known.firstOfAgent);
  lastOfAgent.set(known.lastOfAgent);
  for (let item = known.count; item < columns.count; item += 1) {
    const agent = columns.agent[item] as number;
    if (agent < 0) continue;
    if (firstOfAgent[agent] === NONE) firstOfAgent[agent] = item;
    lastOfAgent[agent] = item;
  }
  // Agents that started themselves or each other cannot be reached through calls.
  const isLinked = Array.from(callOf, (_, agent) => isReachable(columns, callOf, agent));
  for (const [agent, is] of isLinked.entries()) if (!is) callOf[agent] = NONE;
  const all = Array.from(callOf.keys());
  const linked = all.filter((agent) => callOf[agent] !== NONE);
  const looseAgents = all
    .filter((agent) => callOf[agent] === NONE && firstOfAgent[agent] !== NONE)
    .sort((a, b) => (firstOfAgent[a] as number) - (firstOfAgent[b] as number));
  const startedBy = Map.groupBy(linked, (agent) => callOf[agent] as number);
  return { callOf, startedBy, firstOfAgent, lastOfAgent, looseAgents };
}

function callItem(columns: Columns, { call_ordinal, call_block }: Outline['agents'][number]): number {
  const item = call_ordinal < 0 ? NONE : findItem(columns, call_ordinal, call_block);
  return item !== NONE && isCall(columns, item) ? item : NONE;
}

function isReachable(columns: Columns, callOf: Int32Array, agent: number): boolean {
  const seen = new Set<number>();
  for (let at = agent; at !== MAIN; ) {
    const call = callOf[at] ?? NONE;
    if (call === NONE || seen.has(at)) return false;
    seen.add(at);
    at = columns.agent[call] as number;
  }
  return true;
}
