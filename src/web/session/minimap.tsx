import {
  type PointerEvent,
  type Ref,
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import {
  BANDS,
  buildMinimap,
  commitDots,
  itemAtShare,
  minimapBands,
  type Minimap as Map,
  placesOn,
  shareOf,
} from '../../reading/rows/minimap.ts';
import { commitName } from '../../reading/rows/commits.ts';
import type { OutlineIndex } from '../../reading/rows/outline-index.ts';
import styles from './minimap.module.css';

export interface MinimapHandle {
  /** Marks the part in view: from one item to another. */
  mark(firstItem: number, lastItem: number): void;
}

interface MinimapProps {
  readonly index: OutlineIndex;
  readonly handle: Ref<MinimapHandle>;
  readonly onScrub: (item: number) => void;
  readonly onOpen: (ordinal: number) => void;
}

const MIN_WINDOW_SHARE = 0.012;
/** A short session is not blown up to the height of the screen. */
const MAX_ITEM_PX = 14;

/** The whole session at a glance; dragging moves through it. The keyboard has other ways to do so. */
export function Minimap({ index: newest, handle, onScrub, onOpen }: MinimapProps) {
  const index = useMapped(newest);
  const map = useMemo(() => buildMinimap(index), [index]);
  const places = useMemo(() => placesOn(map, index.columns.count), [map, index]);
  const frame = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (frame.current !== null) frame.current.style.maxHeight = `${map.items.length * MAX_ITEM_PX}px`;
  }, [map]);
  const window_ = useRef<HTMLDivElement>(null);
  const endOf = useCallback(
    (item: number) => map.ends[places[item] ?? -1] ?? shareOf(index, map, places, item),
    [index, map, places],
  );
  useImperativeHandle(
    handle,
    () => ({
      mark: (firstItem, lastItem) => {
        const style = window_.current?.style;
        if (style === undefined) return;
        // Rows that are not on the map yet are at its end.
        const end = lastItem < 0 || lastItem >= index.columns.count ? 1 : endOf(lastItem);
        const top = shareOf(index, map, places, Math.min(firstItem, index.columns.count - 1));
        style.top = `${top * 100}%`;
        style.height = `${Math.max(end - top, MIN_WINDOW_SHARE) * 100}%`;
      },
    }),
    [index, map, places, endOf],
  );
  const scrub = (event: PointerEvent) => {
    const box = frame.current?.getBoundingClientRect();
    if (box === undefined || event.buttons !== 1) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const share = Math.min(Math.max((event.clientY - box.top) / box.height, 0), 1);
    onScrub(itemAtShare(map, share));
  };
  return (
    <div ref={frame} className={`${styles['minimap']} no-print`} onPointerDown={scrub} onPointerMove={scrub}>
      <Canvas index={index} map={map} />
      <div ref={window_} className={styles['window']} aria-hidden="true" />
      <CommitDots index={index} map={map} places={places} onOpen={onOpen} />
    </div>
  );
}

/** The map is drawn again when a session has grown by this share: less would not be seen. */
const SEEN_GROWTH = 0.01;

function useMapped(index: OutlineIndex): OutlineIndex {
  const [mapped, setMapped] = useState(index);
  const isSeen =
    mapped.origin !== index.origin ||
    mapped.commits.length !== index.commits.length ||
    index.columns.count - mapped.columns.count >= mapped.columns.count * SEEN_GROWTH;
  if (isSeen && mapped !== index) setMapped(index);
  return isSeen ? index : mapped;
}

interface CommitDotsProps {
  readonly index: OutlineIndex;
  readonly map: Map;
  readonly places: Int32Array;
  readonly onOpen: (ordinal: number) => void;
}

/** Commits as dots at their places. The list of prompts has the same commits for the keyboard. */
function CommitDots({ index, map, places, onOpen }: CommitDotsProps) {
  const dots = useMemo(() => commitDots(index, map, places), [index, map, places]);
  return dots.map(({ share, commits }) => (
    <button
      key={share}
      type="button"
      tabIndex={-1}
      className={styles['commit']}
      ref={(element) => {
        if (element !== null) element.style.top = `${share * 100}%`;
      }}
      aria-label={`Commit ${commits.map(commitName).join(', ')}`}
      title={commits.map(commitName).join('\n')}
      onPointerDown={(event) => event.stopPropagation()}
      onClick={() => onOpen(commits[0]?.ordinal ?? 0)}
    />
  ));
}

function Canvas({ index, map }: { readonly index: OutlineIndex; readonly map: Map }) {
  const [element, setElement] = useState<HTMLCanvasElement | null>(null);
  const draw = useCallback(() => {
    if (element !== null) drawMap(element, index, map);
  }, [element, index, map]);
  useEffect(() => {
    if (element === null) return undefined;
    draw();
    const sizes = new ResizeObserver(draw);
    sizes.observe(element);
    const theme = new MutationObserver(draw);
    theme.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', draw);
    return () => {
      sizes.disconnect();
      theme.disconnect();
      scheme.removeEventListener('change', draw);
    };
  }, [element, draw]);
  return <canvas ref={setElement} className={styles['canvas']} aria-hidden="true" />;
}

/** Bands other than prompts, errors and compactions are narrower, so that these stand out. */
const WIDTHS: Readonly<Record<string, number>> = { human: 1, error: 1, compaction: 1, model: 0.7 };
const OTHER_WIDTH = 0.45;
const DASH_PX = 3;

function drawMap(canvas: HTMLCanvasElement, index: OutlineIndex, map: Map): void {
  const { clientWidth: width, clientHeight: height } = canvas;
  const context = canvas.getContext('2d');
  if (context === null || width === 0 || height === 0) return;
  canvas.width = width;
  canvas.height = height;
  const probe = getComputedStyle(canvas);
  const colors = BANDS.map((band) => colorOf(canvas, probe, band));
  const bands = minimapBands(index, map, height);
  for (const [line, number] of bands.entries()) {
    const band = BANDS[number] ?? 'nothing';
    if (band === 'nothing') continue;
    context.fillStyle = colors[number] ?? '';
    if (band === 'compaction') for (let x = 0; x < width; x += DASH_PX * 2) context.fillRect(x, line, DASH_PX, 1);
    else context.fillRect(0, line, width * (WIDTHS[band] ?? OTHER_WIDTH), 1);
  }
}

/** A canvas does not understand light-dark(), so the color is resolved by a property that does. */
function colorOf(canvas: HTMLCanvasElement, style: CSSStyleDeclaration, band: string): string {
  canvas.style.color = `var(--kind-${band === 'compaction' ? 'system' : band})`;
  const color = style.color;
  canvas.style.color = '';
  return color;
}
