import { firstItemFrom, KIND } from '../rows/columns.ts';
import type { OutlineIndex } from '../rows/outline-index.ts';

/** What one row of a lane shows: a turn, a compaction of the conversation, or an agent without messages of its own. */
export interface GraphNode {
  /** Index of the turn; of a compaction the turn it follows, or -1; of an agent -1. */
  readonly turn: number;
  /** Index of the compaction; otherwise -1. */
  readonly compaction: number;
  /** Index of an agent whose messages are not in this session; otherwise -1. */
  readonly silent: number;
  readonly lane: number;
  readonly row: number;
}

export type LaneKind = 'main' | 'branch' | 'agent' | 'teammate';

/** A line of nodes from top to bottom: the conversation, a branch that was left, a sub-agent or a teammate. */
export interface GraphLane {
  readonly kind: LaneKind;
  /** The first agent of the lane; -1 for the main conversation and its branches. */
  readonly agent: number;
  readonly isAbandoned: boolean;
  readonly column: number;
  readonly firstRow: number;
  readonly lastRow: number;
  /** Indices of nodes. */
  readonly nodes: readonly number[];
}

/**
 * `next`: along a lane; `branch`: to a branch that was left; `spawn`: to an agent; `result`: from an agent back to who
 * started it; `message`: from a teammate to another.
 */
type EdgeKind = 'next' | 'branch' | 'spawn' | 'result' | 'message';

export interface GraphEdge {
  readonly kind: EdgeKind;
  readonly from: number;
  readonly to: number;
}

/** A session as lanes of turns: what follows what, and where it branches. */
export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly lanes: readonly GraphLane[];
  readonly edges: readonly GraphEdge[];
  readonly rows: number;
  readonly columns: number;
  /** The node of each turn. */
  readonly nodeOfTurn: Int32Array;
}

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

/** Items between two turns, although they count as part of the first. */
const BETWEEN: readonly number[] = [KIND.compaction, KIND.summary, KIND.context, KIND.notice];
const isBetween = (kind: number) => BETWEEN.includes(kind);

/** The nodes that a path of messages leads through. */
export function nodesOnPath(graph: Graph, index: OutlineIndex, ordinals: readonly number[]): ReadonlySet<number> {
  const { columns, compactions } = index;
  const turns = new Set<number>();
  for (const ordinal of ordinals) {
    const item = firstItemFrom(columns, ordinal);
    if (columns.ordinal[item] === ordinal && !isBetween(columns.kind[item] as number))
      turns.add(columns.turn[item] as number);
  }
  const onPath = new Set(ordinals);
  const isLit = (compaction: number) => onPath.has(compactions[compaction]?.ordinal ?? -1);
  return new Set(
    graph.nodes.flatMap(({ turn, compaction, silent }, at) =>
      (compaction >= 0 ? isLit(compaction) : silent < 0 && turns.has(turn)) ? [at] : [],
    ),
  );
}
