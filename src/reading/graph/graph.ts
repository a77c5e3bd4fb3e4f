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
