import { useState } from 'react';
import type { SessionContext } from '../../../api/context.ts';
import { formatCompact, formatCount, formatRound } from '../../../reading/format.ts';
import {
  areaPaths,
  type Frame,
  lastOfTurns,
  PART_NAMES,
  pointAt,
  stepTurn,
  turnLabels,
  xOf,
  yOf,
  cliffX,
} from '../../../reading/context/areas.ts';
import { turnTitle } from '../../../reading/graph/facts.ts';
import type { OutlineIndex } from '../../../reading/rows/outline-index.ts';
import { roundTicks } from '../../charts/scale.ts';
import { TextTable } from '../../charts/text-table.tsx';
import { useWidth } from '../../charts/size.ts';
import charts from '../../charts/charts.module.css';
import { useShortcuts } from '../../keyboard.ts';
import { useGo } from '../../routing/use-go.ts';
import { useMedia } from '../../setting.ts';
import styles from './context.module.css';

interface ContextChartProps {
  readonly context: SessionContext;
  readonly index: OutlineIndex;
  readonly sessionId: string;
  /** The ordinal of the compaction whose loss is shown. */
  readonly chosen: number | null;
  readonly onChoose: (ordinal: number) => void;
}

const LEFT_PX = 48;
const TOP_PX = 14;
const HEIGHT_PX = 260;
const TALL_PX = 460;
/** There is room for a tall chart, even with a compaction below it. */
const TALL = '(min-height: 1000px)';
const RIGHT_PX = 12;
const BOTTOM_PX = 26;
const LABEL_PX = 64;
const MAX_ROWS = 100;

function frameOf(width: number, heightPx: number, max: number) {
  const widthPx = Math.max(width - LEFT_PX - RIGHT_PX, 1);
  return { leftPx: LEFT_PX, widthPx, topPx: TOP_PX, heightPx, max };
}

export function ContextChart({ context, index, sessionId, chosen, onChoose }: ContextChartProps) {
  const { points, window, most_tokens } = context;
  const [ref, width] = useWidth<HTMLElement>();
  const [cursor, setCursor] = useState(points.ordinal.length - 1);
  const at = Math.min(cursor, points.ordinal.length - 1);
  const ticks = roundTicks(Math.max(most_tokens, window !== null && most_tokens > window / 3 ? window : 0));
  const heightPx = useMedia(TALL) ? TALL_PX : HEIGHT_PX;
  const frame = frameOf(width, heightPx, ticks.at(-1) || 1);
  useChartKeys(context, sessionId, at, setCursor);
  const x = xOf(points, frame, at);
  return (
    <section className={styles['chart']} aria-label="Context over the session">
      <Readout context={context} index={index} at={at} />
      <figure ref={ref} className={charts['figure']}>
        <svg
          className={charts['svg']}
          viewBox={`0 0 ${width} ${TOP_PX + heightPx + BOTTOM_PX}`}
          height={TOP_PX + heightPx + BOTTOM_PX}
          aria-hidden="true"
          onPointerMove={(event) => {
            const box = event.currentTarget.getBoundingClientRect();
            setCursor(pointAt(points, frame, event.clientX - box.left));
          }}
        >
          {ticks.map((tick) => (
            <g key={tick}>
              <line className={charts['grid']} x1={LEFT_PX} x2={width} y1={yOf(frame, tick)} y2={yOf(frame, tick)} />
              <text className={charts['tick']} x={LEFT_PX - 8} y={yOf(frame, tick)}>
                {formatRound(tick)}
              </text>
            </g>
          ))}
          {areaPaths(points, context.compactions, frame).map((path, part) => (
            <path key={part} className={styles['area']} data-part={context.parts[part]} d={path} />
          ))}
          <TurnLabels points={points} frame={frame} widthPx={width} />
          <Limit window={window} frame={frame} widthPx={width} />
          <Cliffs context={context} frame={frame} chosen={chosen} onChoose={onChoose} />
          <line className={styles['cursor']} x1={x} x2={x} y1={TOP_PX} y2={TOP_PX + heightPx} />
        </svg>
      </figure>
      <CompactionButtons context={context} chosen={chosen} onChoose={onChoose} />
      <Legend context={context} at={at} />
      <TextTable
        caption="Tokens in the context at the end of each turn"
        head={['Turn', 'Total', ...context.parts.map((part) => PART_NAMES[part])]}
        rows={lastOfTurns(points, MAX_ROWS).map((point) => [
          titleOf(index, points.turn[point] ?? -1),
          formatCount(points.total[point] ?? null),
          ...points.by_part.map((column) => formatCount(column[point] ?? null)),
        ])}
      />
    </section>
  );
}

function titleOf(index: OutlineIndex, turn: number): string {
  return turn < 0 ? 'Before the first prompt' : turnTitle(index, turn);
}

function useChartKeys({ points }: SessionContext, id: string, at: number, setCursor: (point: number) => void): void {
  const go = useGo();
  useShortcuts('Context', [
    { keys: ['ArrowRight', 'j'], label: 'Next turn', run: () => setCursor(stepTurn(points, at, 1)) },
    { keys: ['ArrowLeft', 'k'], label: 'Previous turn', run: () => setCursor(stepTurn(points, at, -1)) },
    { keys: ['o'], label: 'Open the answer', run: () => go({ kind: 'session', id, at: points.ordinal[at] ?? 0 }) },
    {
      keys: ['Escape'],
      label: 'Back to the conversation',
      run: () => go({ kind: 'session', id }, { isReplacing: true }),
    },
  ]);
}

interface ReadoutProps {
  readonly context: SessionContext;
  readonly index: OutlineIndex;
  readonly at: number;
}

function Readout({ context: { points }, index, at }: ReadoutProps) {
  return (
    <p className={styles['readout']} role="status">
      <b>{formatCount(points.total[at] ?? null)} tokens</b> <bdi>{titleOf(index, points.turn[at] ?? -1)}</bdi>
    </p>
  );
}

interface TurnLabelsProps {
  readonly points: SessionContext['points'];
  readonly frame: Frame;
  readonly widthPx: number;
}

function TurnLabels({ points, frame, widthPx }: TurnLabelsProps) {
  return turnLabels(points, frame, LABEL_PX).map(({ x, turn }) => (
    <text
      key={turn}
      className={styles['label']}
      x={x}
      y={TOP_PX + frame.heightPx + 18}
      textAnchor={x + LABEL_PX > widthPx ? 'end' : 'start'}
    >
      Prompt {formatCount(turn + 1)}
    </text>
  ));
}

interface LimitProps {
  readonly window: number | null;
  readonly frame: Frame;
  readonly widthPx: number;
}

function Limit({ window, frame, widthPx }: LimitProps) {
  if (window === null || window > frame.max) return null;
  const y = yOf(frame, window);
  return (
    <g className={styles['limit']}>
      <line x1={LEFT_PX} x2={widthPx} y1={y} y2={y} />
      <text x={LEFT_PX + 6} y={y - 4}>
        window: {formatRound(window)}
      </text>
    </g>
  );
}

type CompactionButtonsProps = Pick<ContextChartProps, 'context' | 'chosen' | 'onChoose'>;

/** The cliffs of the chart as buttons, for the keyboard and for fingers. */
function CompactionButtons({ context: { compactions }, chosen, onChoose }: CompactionButtonsProps) {
  if (compactions.length === 0) return null;
  return (
    <ul className={styles['compactions']} aria-label="Compactions">
      {compactions.map(({ id, ordinal, kind, trigger, pre_tokens, post_tokens }, at) => (
        <li key={id}>
          <button type="button" aria-pressed={ordinal === chosen} onClick={() => onChoose(ordinal)}>
            {kind === 'micro' ? 'Cleared results' : `Compaction ${at + 1}`}
            {pre_tokens === null ? '' : ` at ${formatCompact(pre_tokens)}`}
            {post_tokens === null ? '' : ` → ${formatCompact(post_tokens)}`}
            {trigger === 'manual' ? ', by hand' : ''}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** What the colors mean, with the tokens at the cursor; without parts that never occur. */
function Legend({ context: { parts, points }, at }: { readonly context: SessionContext; readonly at: number }) {
  return (
    <ul className={styles['legend']} aria-label="Estimated parts">
      {parts.map((part, number) =>
        points.by_part[number]?.some((tokens) => tokens > 0) ? (
          <li key={part}>
            <span className={styles['swatch']} data-part={part} aria-hidden="true" />
            {PART_NAMES[part]} <b>{formatCompact(points.by_part[number][at] ?? 0)}</b>
          </li>
        ) : null,
      )}
    </ul>
  );
}

interface CliffsProps {
  readonly context: SessionContext;
  readonly frame: Frame;
  readonly chosen: number | null;
  readonly onChoose: (ordinal: number) => void;
}

const HIT_PX = 14;

/** Compactions, where the context falls. */
function Cliffs({ context: { points, compactions }, frame, chosen, onChoose }: CliffsProps) {
  return compactions.map((compaction) => {
    const { id, ordinal } = compaction;
    const x = cliffX(points, frame, compaction);
    return (
      <g
        key={id}
        className={styles['cliff']}
        data-chosen={ordinal === chosen || undefined}
        onClick={() => onChoose(ordinal)}
      >
        <rect x={x - HIT_PX / 2} y={0} width={HIT_PX} height={frame.topPx + frame.heightPx} />
        <line x1={x} x2={x} y1={4} y2={frame.topPx + frame.heightPx} />
        <path d={`M${x - 5} 0L${x + 5} 0L${x} 8Z`} />
      </g>
    );
  });
}
