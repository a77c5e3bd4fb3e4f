import type { OutlineIndex } from '../rows/outline-index.ts';
import { contextAfter } from './facts.ts';
import type { Graph, GraphEdge, GraphNode } from './graph.ts';

/** Sizes in px at one step of zooming. */
export interface GraphScale {
  readonly rowPx: number;
  readonly columnPx: number;
  readonly radiusPx: number;
  /** Type is not scaled below what is readable: names and figures are left out instead. */
  readonly hasNames: boolean;
  readonly hasFacts: boolean;
}

export const SCALES: readonly GraphScale[] = [
  { rowPx: 12, columnPx: 22, radiusPx: 3, hasNames: false, hasFacts: false },
  { rowPx: 20, columnPx: 34, radiusPx: 4, hasNames: false, hasFacts: false },
  { rowPx: 32, columnPx: 190, radiusPx: 5, hasNames: true, hasFacts: false },
  { rowPx: 54, columnPx: 260, radiusPx: 6, hasNames: true, hasFacts: true },
  { rowPx: 72, columnPx: 380, radiusPx: 7, hasNames: true, hasFacts: true },
];
export const DEFAULT_SCALE = 3;

/** Room above the first row, for the label of a copied beginning and the names of lanes. */
export const TOP_PX = 36;
const LEFT_PX = 28;
const BOTTOM_PX = 24;
/** The main conversation has longer texts than the others. */
const MAIN_SHARE = 1.35;

export interface Point {
  readonly x: number;
  readonly y: number;
}

export function pointOf({ lanes }: Graph, { rowPx, columnPx, hasNames }: GraphScale, { lane, row }: GraphNode): Point {
  const column = lanes[lane]?.column ?? 0;
  const mainPx = columnPx * (hasNames ? MAIN_SHARE : 1);
  return {
    x: LEFT_PX + (column === 0 ? 0 : mainPx + (column - 1) * columnPx),
    y: TOP_PX + (row + 0.5) * rowPx,
  };
}

const MAX_COLUMN_PX = 560;

/** Columns as wide as the room allows, so that names are cut as little as possible. */
export function stretch(scale: GraphScale, { columns }: Graph, roomPx: number): GraphScale {
  if (!scale.hasNames) return scale;
  const share = Math.floor((roomPx - LEFT_PX) / (columns - 1 + MAIN_SHARE));
  return { ...scale, columnPx: Math.max(scale.columnPx, Math.min(share, MAX_COLUMN_PX)) };
}

/** Room for the name of a node. */
export function namePx({ lanes }: Graph, { columnPx }: GraphScale, { lane }: GraphNode): number {
  return columnPx * ((lanes[lane]?.column ?? 0) === 0 ? MAIN_SHARE : 1) - LEFT_PX;
}

export function sizeOf({ rows, columns }: Graph, { rowPx, columnPx, hasNames }: GraphScale) {
  const widthPx = LEFT_PX + columnPx * (columns - 1 + (hasNames ? MAIN_SHARE : 1));
  return { widthPx, heightPx: TOP_PX + rows * rowPx + BOTTOM_PX };
}

const MIN_BAND_PX = 3;
const MAX_BAND_PX = 26;

/** How wide the lane is above and below each node: as wide as the context is full. */
export interface Bands {
  readonly above: Float64Array;
  readonly below: Float64Array;
}

export function bandWidths(graph: Graph, index: OutlineIndex): Bands {
  const above = new Float64Array(graph.nodes.length);
  const below = new Float64Array(graph.nodes.length);
  for (const { nodes } of graph.lanes) {
    let context = 0;
    for (const [at, node] of nodes.entries()) {
      const { turn, compaction } = graph.nodes[node] as GraphNode;
      const facts = index.compactions[compaction];
      // A command that does not reach the model leaves the context as it is.
      above[node] = facts === undefined ? (contextAfter(index, turn) ?? context) : (facts.pre_tokens ?? context);
      const next = index.compactions[graph.nodes[nodes[at + 1] ?? -1]?.compaction ?? -1];
      if (facts === undefined) above[node] = next?.pre_tokens ?? above[node];
      context = facts === undefined ? above[node] : (facts.post_tokens ?? contextAfter(index, turn) ?? 0);
      below[node] = context;
    }
  }
  const most = above.reduce((max, tokens) => Math.max(max, tokens), 1);
  const width = (tokens: number) => MIN_BAND_PX + (tokens / most) * (MAX_BAND_PX - MIN_BAND_PX);
  return { above: above.map(width), below: below.map(width) };
}

/** The outline of a lane between two of its nodes. */
export function bandPath(from: Point, to: Point, fromPx: number, toPx: number): string {
  const middle = (from.y + to.y) / 2;
  const side = (sign: 1 | -1) => [from.x + (sign * fromPx) / 2, to.x + (sign * toPx) / 2] as const;
  const [rightTop, rightEnd] = side(1);
  const [leftTop, leftEnd] = side(-1);
  return (
    `M${leftTop} ${from.y}C${leftTop} ${middle} ${leftEnd} ${middle} ${leftEnd} ${to.y}` +
    `L${rightEnd} ${to.y}C${rightEnd} ${middle} ${rightTop} ${middle} ${rightTop} ${from.y}Z`
  );
}

/** A line from lane to lane that leaves and arrives along the lanes. */
export function curvePath(from: Point, to: Point, { rowPx }: GraphScale, kind: GraphEdge['kind']): string {
  if (kind === 'message') {
    const bend = Math.max(Math.abs(to.x - from.x) / 3, rowPx / 2) * (to.x < from.x ? -1 : 1);
    return `M${from.x} ${from.y}C${from.x + bend} ${from.y} ${to.x - bend} ${to.y} ${to.x} ${to.y}`;
  }
  // Between two rows, where no text is.
  return elbowPath(from, to, kind === 'result' ? to.y - rowPx / 2 : from.y + rowPx / 2);
}

const CORNER_PX = 8;

/** Down, across at a height, and down again, with round corners. */
function elbowPath(from: Point, to: Point, y: number): string {
  const side = to.x < from.x ? -1 : 1;
  const top = Math.min(CORNER_PX, Math.max(y - from.y, 0));
  const end = Math.min(CORNER_PX, Math.max(to.y - y, 0));
  return (
    `M${from.x} ${from.y}L${from.x} ${y - top}Q${from.x} ${y} ${from.x + side * top} ${y}` +
    `L${to.x - side * end} ${y}Q${to.x} ${y} ${to.x} ${y + end}L${to.x} ${to.y}`
  );
}

/** The neck of a compaction: wide as the context was, narrow, wide as it is after. */
export function neckPath({ x, y }: Point, abovePx: number, belowPx: number, { rowPx }: GraphScale): string {
  const half = rowPx / 3;
  const waist = MIN_BAND_PX / 2;
  return (
    `M${x - abovePx / 2} ${y - half}L${x + abovePx / 2} ${y - half}L${x + waist} ${y}L${x + belowPx / 2} ${y + half}` +
    `L${x - belowPx / 2} ${y + half}L${x - waist} ${y}Z`
  );
}

/** The rows in view with some around them, in steps, so that scrolling rarely changes them. */
export function visibleRows({ rowPx }: GraphScale, topPx: number, heightPx: number, rows: number) {
  const step = Math.max(Math.ceil(heightPx / rowPx / 2), 1);
  const first = Math.floor((topPx - TOP_PX) / rowPx / step) * step - step;
  const last = Math.ceil((topPx - TOP_PX + heightPx) / rowPx / step) * step + step;
  return { first: Math.max(first, 0), last: Math.min(last, rows - 1) };
}
