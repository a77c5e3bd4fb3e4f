import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, type RefObject } from 'react';
import { describeGraph } from '../../../reading/graph/facts.ts';
import {
  bandWidths,
  type GraphScale,
  pointOf,
  sizeOf,
  stretch,
  TOP_PX,
  visibleRows,
} from '../../../reading/graph/geometry.ts';
import { copiedRows, forksByNode } from '../../../reading/graph/relatives.ts';
import { CopiedBlock } from './copied-block.tsx';
import { EdgeView } from './edge-view.tsx';
import { useGraphContext } from './graph-context.ts';
import styles from './graph.module.css';
import { NodeView } from './node-view.tsx';
import { usePan } from './use-pan.ts';

interface GraphCanvasProps {
  readonly scale: GraphScale;
  readonly onZoom: (by: number) => void;
}

const MARGIN_PX = 80;

/** The drawing, of which only the rows in view are in the document. */
export function GraphCanvas({ scale: step, onZoom }: GraphCanvasProps) {
  const { graph, index, relatives, selected, lit } = useGraphContext();
  const box = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState(0);
  const scale = useMemo(() => stretch(step, graph, room), [step, graph, room]);
  const { first, last } = useWindow(box, scale, graph.rows, setRoom);
  const bands = useMemo(() => bandWidths(graph, index), [graph, index]);
  const copied = useMemo(() => copiedRows(graph, index, relatives), [graph, index, relatives]);
  const forks = useMemo(() => forksByNode(graph, index, relatives), [graph, index, relatives]);
  usePan(box, onZoom);
  useReveal(box, scale);
  const { widthPx, heightPx } = sizeOf(graph, scale);
  const isShown = (row: number) => row >= first && row <= last;
  return (
    <div
      ref={box}
      className={styles['canvas']}
      tabIndex={0}
      role="group"
      aria-label={`Graph of the session: ${describeGraph(graph)}. Arrow keys walk, Enter opens a turn.`}
    >
      <svg
        className={styles['drawing']}
        width={widthPx}
        height={heightPx}
        data-lit={(selected >= 0 && lit !== null) || undefined}
        aria-hidden="true"
      >
        {copied !== null && copied.first <= last && <CopiedBlock rows={copied} scale={scale} widthPx={widthPx} />}
        {graph.edges.map((edge, at) =>
          (graph.nodes[edge.from]?.row ?? 0) <= last && (graph.nodes[edge.to]?.row ?? 0) >= first ? (
            <EdgeView key={at} edge={edge} scale={scale} bands={bands} />
          ) : null,
        )}
        {graph.nodes.map((node, at) =>
          isShown(node.row) ? <NodeView key={at} at={at} scale={scale} bands={bands} forks={forks.get(at)} /> : null,
        )}
      </svg>
    </div>
  );
}

/** The rows to draw. */
function useWindow(
  box: RefObject<HTMLDivElement | null>,
  scale: GraphScale,
  rows: number,
  onWidth: (px: number) => void,
) {
  const [window_, setWindow] = useState({ first: 0, last: -1 });
  const measure = useCallback(() => {
    const element = box.current;
    if (element === null) return;
    onWidth(element.clientWidth);
    const next = visibleRows(scale, element.scrollTop, element.clientHeight, rows);
    setWindow((old) => (old.first === next.first && old.last === next.last ? old : next));
  }, [box, scale, rows, onWidth]);
  useLayoutEffect(measure, [measure]);
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const sizes = new ResizeObserver(measure);
    sizes.observe(element);
    element.addEventListener('scroll', measure, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener('scroll', measure);
    };
  }, [box, measure]);
  return window_;
}

/** Keeps the selected node in view; while nothing is selected, zooming keeps the row at the top. */
function useReveal(box: RefObject<HTMLDivElement | null>, scale: GraphScale): void {
  const { graph, selected } = useGraphContext();
  const lastRowPx = useRef(scale.rowPx);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    if (lastRowPx.current !== scale.rowPx)
      element.scrollTop = ((element.scrollTop - TOP_PX) / lastRowPx.current) * scale.rowPx + TOP_PX;
    lastRowPx.current = scale.rowPx;
    const node = graph.nodes[selected];
    if (node === undefined) return;
    const { x, y } = pointOf(graph, scale, node);
    const { scrollTop, scrollLeft, clientHeight, clientWidth } = element;
    if (y < scrollTop + MARGIN_PX) element.scrollTop = y - MARGIN_PX;
    else if (y > scrollTop + clientHeight - MARGIN_PX) element.scrollTop = y - clientHeight + MARGIN_PX;
    if (x < scrollLeft + MARGIN_PX) element.scrollLeft = x - MARGIN_PX;
    else if (x > scrollLeft + clientWidth - MARGIN_PX * 2) element.scrollLeft = x - clientWidth + MARGIN_PX * 2;
  }, [box, graph, scale, selected]);
}
