import type { Outline } from '../../api/outline.ts';

/** The turns of each conversation in reading order; abandoned ones are folded where the conversation was rewound. */
export interface TurnTree {
  /** Turns that are not folded, by agent; -1 is the main conversation. */
  rootsOf(agent: number): readonly number[];
  /** Indices of the branch points in front of a turn. */
  foldsBefore(turn: number): readonly number[];
  /** The abandoned turns folded at a branch point. */
  turnsIn(branch: number): readonly number[];
  /** The branch point that folds a turn; -1 if none does. */
  readonly foldOf: Int32Array;
}

const NONE = -1;

export function buildTree({ turns, branches }: Pick<Outline, 'turns' | 'branches'>): TurnTree {
  const count = turns.ordinal.length;
  const foldOf = findFolds({ turns, branches });
  const folded = Map.groupBy(foldOf.keys(), (turn) => foldOf[turn] as number);
  const before = Map.groupBy(
    [...branches.keys()].filter((branch) => folded.has(branch)),
    (branch) => branches[branch]?.current ?? NONE,
  );
  const isReached = new Uint8Array(count);
  const visit = (start: number) => {
    const stack = [start];
    for (let turn = stack.pop(); turn !== undefined; turn = stack.pop()) {
      if (isReached[turn] === 1) continue;
      isReached[turn] = 1;
      for (const branch of before.get(turn) ?? []) stack.push(...(folded.get(branch) ?? []));
    }
  };
  const roots = Array.from({ length: count }, (_, turn) => turn).filter((turn) => foldOf[turn] === NONE);
  for (const root of roots) visit(root);
  // Turns that are folded into each other would be unreachable: these are shown where they are.
  for (let turn = 0; turn < count; turn += 1) {
    if (isReached[turn] === 1) continue;
    foldOf[turn] = NONE;
    roots.push(turn);
    visit(turn);
  }
  roots.sort((a, b) => (turns.ordinal[a] as number) - (turns.ordinal[b] as number) || a - b);
  const byAgent = Map.groupBy(roots, (turn) => turns.agent[turn] as number);
  return {
    foldOf,
    rootsOf: (agent) => byAgent.get(agent) ?? [],
    foldsBefore: (turn) => before.get(turn) ?? [],
    turnsIn: (branch) => (folded.get(branch) ?? []).filter((turn) => foldOf[turn] === branch),
  };
}

/** An abandoned turn is folded at the branch point at which it or the nearest turn before it was left. */
function findFolds({ turns, branches }: Pick<Outline, 'turns' | 'branches'>): Int32Array {
  const left = new Map<number, number>();
  for (const [at, branch] of branches.entries()) {
    if (turns.ordinal[branch.current] === undefined) continue;
    const agent = turns.agent[branch.current];
    for (const turn of branch.turns)
      if (turn !== branch.current && turns.agent[turn] === agent && !left.has(turn)) left.set(turn, at);
  }
  const foldOf = new Int32Array(turns.ordinal.length).fill(NONE);
  const isKnown = new Uint8Array(turns.ordinal.length);
  for (let turn = 0; turn < foldOf.length; turn += 1) {
    const path: number[] = [];
    let at = turn;
    while (at >= 0 && isKnown[at] === 0 && turns.branch[at] === 1 && !left.has(at)) {
      isKnown[at] = 1;
      path.push(at);
      at = turns.parent[at] ?? NONE;
    }
    const isAbandoned = at >= 0 && turns.branch[at] === 1;
    const fold = isAbandoned ? (left.get(at) ?? foldOf[at] ?? NONE) : NONE;
    for (const each of path) if (turns.agent[each] === turns.agent[at]) foldOf[each] = fold;
    if (isAbandoned && left.has(at)) foldOf[at] = left.get(at) as number;
  }
  return foldOf;
}
