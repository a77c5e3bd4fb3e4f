import type { OutlineIndex } from './outline-index.ts';

const MAIN = -1;
const NONE = -1;

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
