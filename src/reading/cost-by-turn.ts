import type { SessionCosts } from '../api/session-views.ts';
import { type OutlineIndex, rootTurn } from './rows/outline-index.ts';

const MAIN = -1;
const NONE = -1;

/** What a turn of the main conversation cost, with all that it started. */
export interface TurnCost {
  /** Index of the turn; -1 for what belongs to none. */
  readonly turn: number;
  readonly ownNanos: number;
  /** By agent, the most expensive first. */
  readonly agents: readonly AgentCost[];
  readonly totalNanos: number;
  readonly unpriced: number;
}

export interface AgentCost {
  readonly agent: number;
  readonly nanos: number;
}

/** Costs by turn, the most expensive first. Agents count for the turn that started them; nothing is left out. */
export function costByTurn(index: OutlineIndex, { rows }: SessionCosts): readonly TurnCost[] {
  const turnOf = new Map(index.turns.id.map((id, at) => [id, at]));
  const agentOf = new Map(index.agents.map(({ agent_id }, at) => [agent_id, at]));
  const placed = rows.map((row) => {
    const agent = row.agent_id === null ? MAIN : (agentOf.get(row.agent_id) ?? MAIN);
    const turn = turnOf.get(row.turn_id ?? '') ?? NONE;
    return { row, agent, turn: rootTurn(index, turn, agent) };
  });
  return [...Map.groupBy(placed, ({ turn }) => turn)]
    .map(([turn, list]) => {
      const byAgent = Map.groupBy(list, ({ agent }) => agent);
      const sum = (all: typeof list = []) => all.reduce((total, { row }) => total + (row.cost_nanos ?? 0), 0);
      const agents = [...byAgent]
        .filter(([agent]) => agent !== MAIN)
        .map(([agent, all]) => ({ agent, nanos: sum(all) }))
        .sort((a, b) => b.nanos - a.nanos || a.agent - b.agent);
      const unpriced = list.reduce((total, { row }) => total + row.unpriced_messages, 0);
      return { turn, ownNanos: sum(byAgent.get(MAIN)), agents, totalNanos: sum(list), unpriced };
    })
    .sort((a, b) => b.totalNanos - a.totalNanos || a.turn - b.turn);
}
