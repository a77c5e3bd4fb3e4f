import type { OutlineIndex } from '../rows/outline-index.ts';
import { createTracks } from '../tracks.ts';
import type { Graph, GraphEdge, GraphLane, GraphNode } from './graph.ts';
import { type Placed, placeTurns } from './place.ts';

const MAIN = -1;
const NONE = -1;

/** Lays out the turns of a session. The work grows with the number of turns, not of messages. */
export function layOutGraph(index: OutlineIndex): Graph {
  const placed = placeTurns(index);
  const { nodes, nodeOfTurn } = placed;
  const messages = messageEdges(index, placed);
  const edges = [...laneEdges(index, placed), ...withoutRepeats(placed, agentEdges(index, placed), messages)].filter(
    ({ from, to }) => rowOf(nodes, from) < rowOf(nodes, to),
  );
  const lanes = chooseColumns(placed, edges);
  const rows = nodes.reduce((most, { row }) => Math.max(most, row + 1), 0);
  const columns = lanes.reduce((most, { column }) => Math.max(most, column + 1), 0);
  return { nodes, lanes, edges, rows, columns, nodeOfTurn };
}

/** Along each lane, and from the turn after which a branch began. */
function laneEdges({ turns }: OutlineIndex, { nodes, lanes, nodeOfTurn }: Placed): GraphEdge[] {
  return lanes.flatMap(({ kind, nodes: own }) => {
    const along = own.slice(1).map((to, at): GraphEdge => ({ kind: 'next', from: own[at] as number, to }));
    const first = own[0] ?? NONE;
    const from = nodeOfTurn[turns.parent[nodes[first]?.turn ?? NONE] ?? NONE] ?? NONE;
    return kind === 'branch' && from !== NONE ? [{ kind: 'branch', from, to: first }, ...along] : along;
  });
}

/** From the call that started an agent, and from its end to what its starter did next. */
function agentEdges({ turns }: OutlineIndex, { nodes, lanes, nodeOfTurn, starters }: Placed): GraphEdge[] {
  const ends = new Map<number, { readonly first: number; last: number }>();
  for (const [node, { turn, compaction, silent }] of nodes.entries()) {
    const agent = silent === NONE ? (turns.agent[turn] ?? MAIN) : silent;
    if (agent === MAIN || compaction !== NONE) continue;
    const known = ends.get(agent);
    if (known === undefined) ends.set(agent, { first: node, last: node });
    else known.last = node;
  }
  return [...ends].flatMap(([agent, { first, last }]) => {
    const starter = nodeOfTurn[starters[agent] ?? NONE] ?? NONE;
    if (starter === NONE) return [];
    const spawn: GraphEdge = { kind: 'spawn', from: starter, to: first };
    const home = lanes[nodes[starter]?.lane ?? NONE]?.nodes ?? [];
    const back = home.find((node) => rowOf(nodes, node) > rowOf(nodes, last)) ?? NONE;
    return back === NONE ? [spawn] : [spawn, { kind: 'result', from: last, to: back }];
  });
}

/** From what the sender did last. */
function messageEdges({ turnCount }: OutlineIndex, { nodes, lanes, nodeOfTurn, senderOf }: Placed): GraphEdge[] {
  const edges: GraphEdge[] = [];
  for (let turn = 0; turn < turnCount; turn += 1) {
    const sent = lanes[senderOf(turn)]?.nodes;
    const to = nodeOfTurn[turn] as number;
    const from = sent?.findLast((node) => rowOf(nodes, node) < rowOf(nodes, to));
    if (from !== undefined && nodes[from]?.lane !== nodes[to]?.lane) edges.push({ kind: 'message', from, to });
  }
  return edges;
}

/**
 * The task of a teammate is also its first message, and later messages and reports can start and end agents: each is
 * drawn once, the start of a lane as such and everything else as a message.
 */
function withoutRepeats({ nodes, lanes }: Placed, ofAgents: readonly GraphEdge[], messages: readonly GraphEdge[]) {
  const laneOf = (node: number) => nodes[node]?.lane ?? NONE;
  const between = ({ from, to }: GraphEdge) => `${laneOf(from)} ${laneOf(to)}`;
  const endsOf = ({ from, to }: GraphEdge) => `${from} ${to}`;
  const isLaneStart = ({ to }: GraphEdge) => lanes[laneOf(to)]?.nodes[0] === to;
  const reported = new Set(messages.map(between));
  const sent = new Set(messages.map(endsOf));
  const started = new Set(ofAgents.filter(isLaneStart).map(endsOf));
  const agents = ofAgents.filter((edge) =>
    edge.kind === 'result' ? !reported.has(between(edge)) : isLaneStart(edge) || !sent.has(endsOf(edge)),
  );
  return [...agents, ...messages.filter((edge) => !started.has(endsOf(edge)))];
}

function rowOf(nodes: readonly GraphNode[], node: number): number {
  return nodes[node]?.row ?? NONE;
}

/** A lane keeps its column from where it begins to where it ends; later lanes can use it again. */
function chooseColumns({ nodes, lanes }: Placed, edges: readonly GraphEdge[]): readonly GraphLane[] {
  const spans = lanes.map(({ nodes: own, lastRow }) => ({ first: rowOf(nodes, own[0] ?? NONE), last: lastRow }));
  for (const { kind, from, to } of edges) {
    const lane = spans[nodes[kind === 'result' ? from : to]?.lane ?? NONE];
    if (lane === undefined || kind === 'next' || kind === 'message') continue;
    // An edge needs the rows between its ends.
    if (kind === 'result') lane.last = Math.max(lane.last, rowOf(nodes, to) - 1);
    else lane.first = Math.min(lane.first, rowOf(nodes, from) + 1);
  }
  const columns = new Int32Array(lanes.length);
  // The main conversation has the first column for itself.
  const tracks = createTracks(1);
  const order = Array.from(lanes.keys())
    .filter((lane) => lane > 0)
    .sort((a, b) => (spans[a]?.first ?? 0) - (spans[b]?.first ?? 0) || a - b);
  for (const lane of order) {
    const { first, last } = spans[lane] as { first: number; last: number };
    columns[lane] = tracks.place(first, last + 1);
  }
  return lanes.map(({ kind, agent, isAbandoned, nodes: own }, lane) => {
    const { first, last } = spans[lane] as { first: number; last: number };
    return { kind, agent, isAbandoned, nodes: own, column: columns[lane] as number, firstRow: first, lastRow: last };
  });
}
