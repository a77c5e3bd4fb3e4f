import type { GraphEdge } from '../../../reading/graph/graph.ts';
import { bandPath, type Bands, curvePath, type GraphScale, pointOf } from '../../../reading/graph/geometry.ts';
import { useGraphContext } from './graph-context.ts';
import styles from './graph.module.css';

interface EdgeViewProps {
  readonly edge: GraphEdge;
  readonly scale: GraphScale;
  readonly bands: Bands;
}

const ARROW_PX = 6;

export function EdgeView({ edge: { kind, from, to }, scale, bands }: EdgeViewProps) {
  const { graph, lit } = useGraphContext();
  const [start, end] = [graph.nodes[from], graph.nodes[to]];
  if (start === undefined || end === undefined) return null;
  const lane = graph.lanes[(kind === 'result' ? start : end).lane];
  const shared = {
    className: styles[kind === 'next' ? 'band' : 'curve'],
    'data-edge': kind,
    'data-lane': lane?.kind,
    'data-abandoned': lane?.isAbandoned || undefined,
    'data-on-path': (lit?.has(from) === true && lit.has(to)) || undefined,
  };
  const a = pointOf(graph, scale, start);
  const b = pointOf(graph, scale, end);
  if (kind === 'next') return <path {...shared} d={bandPath(a, b, bands.below[from] ?? 0, bands.above[to] ?? 0)} />;
  if (kind !== 'message') return <path {...shared} d={curvePath(a, b, scale, kind)} />;
  const side = b.x < a.x ? 1 : -1;
  const tip = b.x + side * (scale.radiusPx + 1);
  return (
    <g {...shared}>
      <path d={curvePath(a, { x: tip, y: b.y }, scale, kind)} />
      <path
        d={`M${tip + side * ARROW_PX} ${b.y - ARROW_PX / 2}L${tip} ${b.y}L${tip + side * ARROW_PX} ${b.y + ARROW_PX / 2}`}
      />
    </g>
  );
}
