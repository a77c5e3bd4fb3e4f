import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
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
import { useIsPrinting } from '../../printing.ts';
import { CopiedBlock } from './copied-block.tsx';
import { EdgeView } from './edge-view.tsx';
import { useGraphContext } from './graph-context.ts';
import styles from './graph.module.css';
import { NodeView } from './node-view.tsx';

interface GraphCanvasProps {
  readonly scale: GraphScale;
  readonly onZoom: (by: number) => void;
}

const MARGIN_PX = 80;

/** The drawing, of which only the rows in view are in the document; on paper, all of them. */
export function GraphCanvas({ scale: step, onZoom }: GraphCanvasProps) {
  const { graph, index, relatives, selected, lit } = useGraphContext();
  const [box, setBox] = useState<HTMLDivElement | null>(null);
  const { topPx, widthPx: roomPx, heightPx: seenPx } = useViewport(box);
  const scale = useMemo(() => stretch(step, graph, roomPx), [step, graph, roomPx]);
  const isPrinting = useIsPrinting();
  const { first, last } = isPrinting
    ? { first: 0, last: graph.rows - 1 }
    : visibleRows(scale, topPx, seenPx, graph.rows);
  const bands = useMemo(() => bandWidths(graph, index), [graph, index]);
  const copied = useMemo(() => copiedRows(graph, index, relatives), [graph, index, relatives]);
  const forks = useMemo(() => forksByNode(graph, index, relatives), [graph, index, relatives]);
  usePan(box, onZoom);
  useReveal(box, scale);
  const { widthPx, heightPx } = sizeOf(graph, scale);
  const isShown = (row: number) => row >= first && row <= last;
  return (
    <div
      ref={setBox}
      className={`${styles['canvas']} print-flow`}
      tabIndex={0}
      role="group"
      aria-label={`Graph of the session: ${describeGraph(graph)}. Arrow keys walk, Enter opens a turn.`}
    >
      <svg
        className={styles['drawing']}
        width={widthPx}
        height={heightPx}
        viewBox={`0 0 ${widthPx} ${heightPx}`}
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

interface Viewport {
  readonly topPx: number;
  readonly widthPx: number;
  readonly heightPx: number;
}

const NOWHERE: Viewport = { topPx: 0, widthPx: 0, heightPx: 0 };
/** Scrolling by less than this share of the height draws nothing new. */
const STEP = 4;

/** The part in view, in steps. */
function useViewport(box: HTMLElement | null): Viewport {
  const [viewport, setViewport] = useState(NOWHERE);
  useEffect(() => {
    if (box === null) return undefined;
    const measure = () => {
      const { scrollTop, clientWidth: widthPx, clientHeight: heightPx } = box;
      const stepPx = Math.max(heightPx / STEP, 1);
      const topPx = Math.floor(scrollTop / stepPx) * stepPx;
      setViewport((old) =>
        old.topPx === topPx && old.widthPx === widthPx && old.heightPx === heightPx
          ? old
          : { topPx, widthPx, heightPx },
      );
    };
    const sizes = new ResizeObserver(measure);
    sizes.observe(box);
    box.addEventListener('scroll', measure, { passive: true });
    return () => {
      sizes.disconnect();
      box.removeEventListener('scroll', measure);
    };
  }, [box]);
  return viewport;
}

/** Keeps the selected node in view; while nothing is selected, zooming keeps the row at the top. */
function useReveal(box: HTMLElement | null, scale: GraphScale): void {
  const { graph, selected } = useGraphContext();
  const lastRowPx = useRef(scale.rowPx);
  useLayoutEffect(() => {
    if (box === null) return;
    const zoomed = scale.rowPx / lastRowPx.current;
    lastRowPx.current = scale.rowPx;
    const topPx = zoomed === 1 ? box.scrollTop : (box.scrollTop - TOP_PX) * zoomed + TOP_PX;
    const node = graph.nodes[selected];
    const at = node === undefined ? null : pointOf(graph, scale, node);
    box.scrollTo({
      top: at === null ? topPx : nearest(topPx, at.y, box.clientHeight, MARGIN_PX),
      left: at === null ? box.scrollLeft : nearest(box.scrollLeft, at.x, box.clientWidth, MARGIN_PX * 2),
    });
  }, [box, graph, scale, selected]);
}

/** The scroll position nearest to the current one at which a place has some room around it. */
function nearest(scrollPx: number, placePx: number, sizePx: number, marginPx: number): number {
  const margin = Math.min(marginPx, sizePx / 3);
  return Math.max(Math.min(scrollPx, placePx - margin), placePx - sizePx + margin);
}

/** Wheel movement that makes one step of zooming. */
const STEP_PX = 60;

/** Dragging moves the drawing, and the wheel with Ctrl zooms. Everything else is ordinary scrolling. */
function usePan(box: HTMLElement | null, onZoom: (by: number) => void): void {
  const zoom = useRef(onZoom);
  useEffect(() => {
    zoom.current = onZoom;
  });
  useEffect(() => {
    if (box === null) return undefined;
    const ends = new AbortController();
    const { signal } = ends;
    let turned = 0;
    const wheel = (event: WheelEvent) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      turned += event.deltaY;
      if (Math.abs(turned) < STEP_PX) return;
      zoom.current(turned < 0 ? 1 : -1);
      turned = 0;
    };
    const drag = ({ buttons, movementX, movementY, pointerType }: PointerEvent) => {
      if (buttons !== 1 || pointerType !== 'mouse') return;
      box.scrollBy(-movementX, -movementY);
    };
    box.addEventListener('wheel', wheel, { signal, passive: false });
    box.addEventListener('pointermove', drag, { signal });
    return () => ends.abort();
  }, [box]);
}
