import { type Columns, isCall } from './columns.ts';

const NONE = -1;
const MAIN = -1;

/** Finds the call that started each agent, and where each agent begins and ends. */
export function linkAgents(columns: Columns, agentCount: number) {
  const callOf = new Int32Array(agentCount).fill(NONE);
  const firstOfAgent = new Int32Array(agentCount).fill(NONE);
  const lastOfAgent = new Int32Array(agentCount).fill(NONE);
  for (let item = 0; item < columns.count; item += 1) {
    const spawned = columns.spawned[item] as number;
    if (spawned >= 0 && callOf[spawned] === NONE && isCall(columns, item)) callOf[spawned] = item;
    const agent = columns.agent[item] as number;
    if (agent < 0) continue;
    if (firstOfAgent[agent] === NONE) firstOfAgent[agent] = item;
    lastOfAgent[agent] = item;
  }
  // Agents that were started by themselves or each other cannot be reached through calls.
  const isLinked = Array.from(callOf, (_, agent) => isReachable(columns, callOf, agent));
  for (const [agent, is] of isLinked.entries()) if (!is) callOf[agent] = NONE;
  const looseAgents = Array.from(callOf.keys())
    .filter((agent) => callOf[agent] === NONE && firstOfAgent[agent] !== NONE)
    .sort((a, b) => (firstOfAgent[a] as number) - (firstOfAgent[b] as number));
  return { callOf, firstOfAgent, lastOfAgent, looseAgents };
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
