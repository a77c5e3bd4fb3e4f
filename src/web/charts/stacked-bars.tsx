import { PageLink } from '../routing/page-link.tsx';
import type { Page } from '../routing/place.ts';
import styles from './charts.module.css';
import { labelEvery, roundTicks, toneOf } from './scale.ts';
import { useRoving } from './use-roving.ts';
import { useWidth } from './size.ts';

export interface BarColumn {
  readonly key: string;
  /** Below the column, if there is room. */
  readonly label: string;
  /** The column in words: what it is, how much, of what. */
  readonly text: string;
  /** From the bottom up; the rank decides the color. */
  readonly parts: readonly { readonly rank: number; readonly value: number }[];
  /** Where the column leads to. */
  readonly page: Page;
}

interface StackedBarsProps {
  readonly name: string;
  readonly columns: readonly BarColumn[];
  readonly formatTick: (value: number) => string;
  readonly heightPx?: number;
}

const LEFT = 52;
const BOTTOM = 22;
const TOP = 6;
/** Room for half of the last label. */
const RIGHT = 16;
/** A day and a month, with space around them. */
const LABEL_PX = 54;
const MAX_BAR_PX = 44;
const GAP = 0.24;

/** Columns of stacked parts, each a link. One stop of the Tab key; arrow keys move between the columns. */
export function StackedBars({ name, columns, formatTick, heightPx = 220 }: StackedBarsProps) {
  const [ref, width] = useWidth<HTMLElement>();
  const roving = useRoving(columns.length, columns.length - 1);
  const max = Math.max(...columns.map(totalOf), 0);
  const ticks = roundTicks(max);
  const plot = heightPx - BOTTOM - TOP;
  const yOf = (value: number) => TOP + plot * (1 - value / (ticks.at(-1) || 1));
  const stepPx = Math.max(0, width - LEFT - RIGHT) / Math.max(columns.length, 1);
  const every = labelEvery(columns.length, width - LEFT - RIGHT, LABEL_PX);
  return (
    <figure ref={ref} className={styles['figure']} aria-label={name} onKeyDown={roving.onKeyDown}>
      <svg
        className={styles['svg']}
        viewBox={`0 0 ${width} ${heightPx}`}
        height={heightPx}
        role="group"
        aria-label={name}
      >
        {ticks.map((tick) => (
          <g key={tick} aria-hidden="true">
            <line className={styles['grid']} x1={LEFT} x2={width - RIGHT} y1={yOf(tick)} y2={yOf(tick)} />
            <text className={styles['tick']} x={LEFT - 8} y={yOf(tick)}>
              {formatTick(tick)}
            </text>
          </g>
        ))}
        {width > 0 &&
          columns.map((column, index) => (
            <Column
              key={column.key}
              column={column}
              x={LEFT + index * stepPx}
              stepPx={stepPx}
              isStop={roving.isStop(index)}
              hasLabel={(columns.length - 1 - index) % every === 0}
              yOf={yOf}
              heightPx={heightPx}
            />
          ))}
      </svg>
    </figure>
  );
}

interface ColumnProps {
  readonly column: BarColumn;
  readonly x: number;
  readonly stepPx: number;
  readonly isStop: boolean;
  readonly hasLabel: boolean;
  readonly yOf: (value: number) => number;
  readonly heightPx: number;
}

function Column({ column, x, stepPx, isStop, hasLabel, yOf, heightPx }: ColumnProps) {
  const barPx = Math.min(stepPx * (1 - GAP), MAX_BAR_PX);
  const left = x + (stepPx - barPx) / 2;
  const starts = column.parts.map((_, index) => totalOf({ parts: column.parts.slice(0, index) }));
  return (
    <PageLink
      className={styles['column']}
      page={column.page}
      aria-label={column.text}
      tabIndex={isStop ? 0 : -1}
      data-roving
    >
      <title>{column.text}</title>
      <rect className={styles['hit']} x={x} y={0} width={stepPx} height={heightPx - BOTTOM} />
      {column.parts.map(({ rank, value }, index) => {
        const top = yOf((starts[index] ?? 0) + value);
        const bottom = yOf(starts[index] ?? 0);
        const tone = `${styles['segment']} ${styles[toneOf(rank)]}`;
        return <rect key={index} className={tone} x={left} y={top} width={barPx} height={bottom - top} />;
      })}
      {hasLabel && (
        <text className={styles['label']} x={x + stepPx / 2} y={heightPx - 6} aria-hidden="true">
          {column.label}
        </text>
      )}
    </PageLink>
  );
}

function totalOf({ parts }: Pick<BarColumn, 'parts'>): number {
  return parts.reduce((sum, { value }) => sum + value, 0);
}
