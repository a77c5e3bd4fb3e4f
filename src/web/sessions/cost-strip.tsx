import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react';
import type { SessionDay } from '../../api/facets.ts';
import type { DayRange } from '../../reading/day-range.ts';
import { formatNanos, formatDay, formatShortDay, plural } from '../../reading/format.ts';
import { useShare } from '../charts/size.ts';
import styles from './cost-strip.module.css';

interface CostStripProps {
  readonly days: readonly SessionDay[];
  readonly range: DayRange | null;
  readonly onRange: (range: DayRange | null) => void;
}

/** Positions of the first and the last day that are being chosen. */
interface Brush {
  readonly from: number;
  readonly to: number;
}

/**
 * The last days by cost. Dragging over days filters by them. With the keyboard: arrows move, Shift with arrows extends,
 * Enter filters, Escape shows all days again.
 */
export function CostStrip(props: CostStripProps) {
  const { days } = props;
  const { bars, brush, focused, isChosen, isIn, handlers } = useBrush(props);
  const brushed = brush === null ? [] : days.filter(({ day }, index) => isIn(day, index));
  const most = Math.max(0, ...days.map(({ cost_nanos }) => cost_nanos));
  return (
    <div>
      <div
        ref={bars}
        className={isChosen ? `${styles['strip']} ${styles['chosen']}` : styles['strip']}
        role="toolbar"
        aria-label="Cost of the last 30 days"
        data-brushing={brush !== null || undefined}
        {...handlers}
      >
        {days.map((day, index) => (
          <DayBar
            key={day.day}
            day={day}
            share={most === 0 ? 0 : day.cost_nanos / most}
            isIn={isIn(day.day, index)}
            isFocusable={index === Math.min(focused, days.length - 1)}
          />
        ))}
      </div>
      <Axis days={days} most={most} brushed={brushed} />
    </div>
  );
}

interface AxisProps {
  readonly days: readonly SessionDay[];
  readonly most: number;
  /** The days that are being chosen. */
  readonly brushed: readonly SessionDay[];
}

/** Explains the bars to first-time visitors, and the choice while it is made. */
function Axis({ days, most, brushed }: AxisProps) {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return null;
  return (
    <p className={styles['axis']} aria-hidden="true">
      <span>{formatShortDay(first.day)}</span>
      <span>{describe(brushed) ?? (most === 0 ? 'No cost' : `Cost by day, up to ${formatNanos(most)}`)}</span>
      <span>{formatShortDay(last.day)}</span>
    </p>
  );
}

function describe(days: readonly SessionDay[]): string | null {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return null;
  const range =
    first === last ? formatShortDay(first.day) : `${formatShortDay(first.day)} – ${formatShortDay(last.day)}`;
  const sum = (value: (day: SessionDay) => number) => days.reduce((total, day) => total + value(day), 0);
  return `${range}: ${plural(
    sum(({ sessions }) => sessions),
    'session',
  )}, ${formatNanos(sum(({ cost_nanos }) => cost_nanos))}`;
}

function useBrush({ days, range, onRange }: CostStripProps) {
  const [brush, setBrush] = useState<Brush | null>(null);
  const [focused, setFocused] = useState(days.length - 1);
  const bars = useRef<HTMLDivElement>(null);
  const apply = ({ from, to }: Brush) => {
    const [first, last] = [days[Math.min(from, to)]?.day, days[Math.max(from, to)]?.day];
    setBrush(null);
    if (first === undefined || last === undefined) return;
    onRange(range?.first === first && range.last === last ? null : { first, last });
  };
  const indexAt = ({ clientX }: PointerEvent) => {
    const { left = 0, width = 0 } = bars.current?.getBoundingClientRect() ?? {};
    const at = width === 0 ? 0 : Math.floor(((clientX - left) / width) * days.length);
    return Math.min(Math.max(at, 0), days.length - 1);
  };
  const isIn = (day: string, index: number) => {
    if (brush !== null) return index >= Math.min(brush.from, brush.to) && index <= Math.max(brush.from, brush.to);
    return range !== null && day >= range.first && day <= range.last;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = nextFocus(event.key, focused, days.length);
    if (next !== null) {
      setBrush(event.shiftKey ? { from: brush?.from ?? focused, to: next } : null);
      setFocused(next);
      (bars.current?.children[next] as HTMLElement | undefined)?.focus();
    } else if (event.key === 'Enter' || event.key === ' ') apply(brush ?? { from: focused, to: focused });
    else if (event.key === 'Escape' && (brush !== null || range !== null)) {
      setBrush(null);
      onRange(null);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const handlers = {
    onKeyDown,
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      setBrush({ from: indexAt(event), to: indexAt(event) });
    },
    onPointerMove: (event: PointerEvent) => {
      if (brush !== null && event.buttons > 0) setBrush({ ...brush, to: indexAt(event) });
    },
    onPointerUp: (event: PointerEvent) => {
      if (brush === null) return;
      setFocused(indexAt(event));
      apply({ ...brush, to: indexAt(event) });
    },
    onPointerCancel: () => setBrush(null),
  };
  return { bars, brush, focused, isChosen: brush !== null || range !== null, isIn, handlers };
}

function nextFocus(key: string, at: number, count: number): number | null {
  const target = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: count - 1 }[key];
  return target === undefined ? null : Math.min(Math.max(target, 0), count - 1);
}

interface DayBarProps {
  readonly day: SessionDay;
  readonly share: number;
  readonly isIn: boolean;
  readonly isFocusable: boolean;
}

/** Days without cost keep a mark, so that the days can be counted. */
function DayBar({ day, share, isIn, isFocusable }: DayBarProps) {
  const label = `${formatDay(Date.parse(`${day.day}T12:00`))}: ${plural(day.sessions, 'session')}, ${formatNanos(day.cost_nanos)}`;
  return (
    <button
      type="button"
      className={styles['day']}
      aria-label={label}
      aria-pressed={isIn}
      title={label}
      tabIndex={isFocusable ? 0 : -1}
    >
      <span ref={useShare(share, 'height')} className={day.sessions > 0 ? styles['bar'] : styles['none']} />
    </button>
  );
}
