import type { Graph } from './graph.ts';

export type Direction = 'up' | 'down' | 'left' | 'right';

const NONE = -1;

/** The node that an arrow key leads to; the same node where there is nothing in that direction. */
export function walk(graph: Graph, node: number, direction: Direction): number {
  const found =
    direction === 'up' || direction === 'down' ? along(graph, node, direction) : across(graph, node, direction);
  return found === NONE ? node : found;
}

/** Along the lane; at its ends to where it came from, or to where its result went. */
function along({ nodes, lanes, edges }: Graph, node: number, direction: 'up' | 'down'): number {
  const own = lanes[nodes[node]?.lane ?? NONE]?.nodes ?? [];
  const next = own[own.indexOf(node) + (direction === 'down' ? 1 : -1)];
  if (next !== undefined) return next;
  const edge =
    direction === 'up'
      ? edges.find(({ kind, to }) => to === node && (kind === 'spawn' || kind === 'branch'))?.from
      : edges.find(({ kind, from }) => from === node && kind === 'result')?.to;
  return edge ?? NONE;
}

/** The node of the nearest column that is nearest in height. */
function across({ nodes, lanes }: Graph, node: number, direction: 'left' | 'right'): number {
  const here = nodes[node];
  if (here === undefined) return NONE;
  const column = lanes[here.lane]?.column ?? 0;
  let best = NONE;
  let bestScore = Number.POSITIVE_INFINITY;
  for (const [at, { lane, row }] of nodes.entries()) {
    const away = ((lanes[lane]?.column ?? 0) - column) * (direction === 'right' ? 1 : -1);
    if (away <= 0) continue;
    // Height matters more than width: what is beside a turn happened at the same time.
    const score = Math.abs(row - here.row) * 10 + away;
    if (score < bestScore) [best, bestScore] = [at, score];
  }
  return best;
}
