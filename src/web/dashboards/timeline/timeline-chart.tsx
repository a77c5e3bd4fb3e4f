import { formatClock, formatDuration, plural } from '../../../reading/format.ts';
import { titleOf } from '../../../reading/names.ts';
import { sessionsQuery } from '../../../reading/session-query.ts';
import {
  axisMinutes,
  type Burst,
  formatMinute,
  type PlacedMark,
  type RankedWorkspace,
  type RankedWorkspaces,
  rankWorkspaces,
  type TimelineDay,
  type TimeWindow,
} from '../../../reading/timeline-view.ts';
import { MINUTE_MS } from '../../../domain/durations.ts';
import chartStyles from '../../charts/charts.module.css';
import { toneOf } from '../../charts/scale.ts';
import { useRoving } from '../../charts/use-roving.ts';
import { useWidth } from '../../charts/size.ts';
import { PageLink } from '../../routing/page-link.tsx';
import dashboardStyles from '../dashboard.module.css';
import styles from './timeline.module.css';

interface TimelineChartProps {
  readonly days: readonly TimelineDay[];
  readonly window: TimeWindow;
}

const LABEL_PX = 52;

/** One row of bars for each day, below one axis. All bars are one stop of the Tab key. */
export function TimelineChart({ days, window }: TimelineChartProps) {
  const [ref, width] = useWidth<HTMLDivElement>();
  const shown = days.map((day) => ({ ...day, bursts: day.bursts.filter((burst) => isShown(burst, window)) }));
  const starts = shown.map((_, index) => countBursts(shown.slice(0, index)));
  const roving = useRoving(countBursts(shown), 0);
  const workspaces = rankWorkspaces(days);
  const ticks = axisMinutes(window, Math.max(2, Math.floor(width / LABEL_PX)));
  const scale = { width, xOf: (minute: number) => ((minute - window.from) / window.minutes) * width };
  return (
    <>
      <div className={styles['chart']} role="group" aria-label="Timeline" onKeyDown={roving.onKeyDown}>
        <div className={styles['corner']} />
        <div ref={ref}>
          <svg className={chartStyles['svg']} viewBox={`0 0 ${width} 18`} height={18} aria-hidden="true">
            {ticks.map((tick) => (
              <text key={tick} className={chartStyles['label']} x={scale.xOf(tick)} y={12}>
                {formatMinute(tick)}
              </text>
            ))}
          </svg>
        </div>
        {shown.map((day, row) => {
          const start = starts[row] ?? 0;
          return (
            <DayRow
              key={day.day}
              day={day}
              scale={scale}
              ticks={ticks}
              workspaces={workspaces}
              isStop={(index) => roving.isStop(start + index)}
            />
          );
        })}
      </div>
      <ul className={dashboardStyles['legend']} aria-label="Workspaces">
        {[...workspaces].map(([key, { label, rank }]) => (
          <li key={key}>
            <PageLink page={{ kind: 'list', q: sessionsQuery({ workspace: key }) }}>
              <span className={`${chartStyles['swatch']} ${chartStyles[toneOf(rank)]}`} aria-hidden="true" />
              <bdi>{label}</bdi>
            </PageLink>
          </li>
        ))}
      </ul>
    </>
  );
}

function countBursts(days: readonly TimelineDay[]): number {
  return days.reduce((sum, { bursts }) => sum + bursts.length, 0);
}

function isShown({ from, to }: Burst, window: TimeWindow): boolean {
  return to >= window.from && from <= window.from + window.minutes;
}

interface Scale {
  readonly width: number;
  readonly xOf: (minute: number) => number;
}

interface DayRowProps {
  readonly day: TimelineDay;
  readonly scale: Scale;
  readonly ticks: readonly number[];
  readonly workspaces: RankedWorkspaces;
  readonly isStop: (index: number) => boolean;
}

const LANE_PX = 14;
const BAR_PX = 10;
const PAD_PX = 5;
const MIN_ROW_PX = 22;

function DayRow({ day, scale, ticks, workspaces, isStop }: DayRowProps) {
  const height = Math.max(MIN_ROW_PX, day.lanes * LANE_PX + 2 * PAD_PX);
  return (
    <>
      <div className={styles['day']}>
        <span>{nameOfDay(day.day)}</span>
        {day.sessions > 0 && (
          <span className={styles['active']} title={plural(day.sessions, 'session')}>
            {formatDuration(day.activeMinutes * MINUTE_MS)}
          </span>
        )}
      </div>
      <div className={styles['row']}>
        <svg
          className={styles['svg']}
          viewBox={`0 0 ${scale.width} ${height}`}
          height={height}
          role="group"
          aria-label={nameOfDay(day.day)}
        >
          {ticks.map((tick) => (
            <line
              key={tick}
              className={chartStyles['grid']}
              x1={scale.xOf(tick)}
              x2={scale.xOf(tick)}
              y1={0}
              y2={height}
            />
          ))}
          {day.extents.map(({ id, from, to, lane }) => (
            <line
              key={id}
              className={styles['extent']}
              x1={scale.xOf(from)}
              x2={scale.xOf(to)}
              y1={PAD_PX + (lane + 0.5) * LANE_PX}
              y2={PAD_PX + (lane + 0.5) * LANE_PX}
            />
          ))}
          {day.bursts.map((burst, index) => (
            <Bar
              key={index}
              burst={burst}
              scale={scale}
              workspace={workspaces.get(burst.session.workspace_key)}
              isStop={isStop(index)}
            />
          ))}
          {day.marks.map((placed, index) => (
            <Mark key={index} placed={placed} scale={scale} height={height} />
          ))}
        </svg>
      </div>
    </>
  );
}

function nameOfDay(day: string): string {
  const date = new Date(`${day}T12:00:00`);
  return date.toLocaleDateString('en-GB', { weekday: 'short', day: 'numeric', month: 'short' });
}

const MIN_BAR_PX = 3;

interface BarProps {
  readonly burst: Burst;
  readonly scale: Scale;
  readonly workspace: RankedWorkspace | undefined;
  readonly isStop: boolean;
}

function Bar({ burst, scale, workspace, isStop }: BarProps) {
  const { session, from, to, lane, ordinal } = burst;
  const x = scale.xOf(from);
  const width = Math.max(scale.xOf(to) - x, MIN_BAR_PX);
  const text = `${formatMinute(from)}–${formatMinute(to)} ${titleOf(session)}, ${workspace?.label ?? session.workspace_name}`;
  return (
    <PageLink
      className={styles['bar']}
      page={{ kind: 'session', id: session.id, at: ordinal }}
      aria-label={text}
      tabIndex={isStop ? 0 : -1}
      data-roving
      data-minute={(from + to) / 2}
    >
      <title>{text}</title>
      <rect
        className={`${chartStyles['segment']} ${chartStyles[toneOf(workspace?.rank ?? 0)]}`}
        x={x}
        y={PAD_PX + lane * LANE_PX + (LANE_PX - BAR_PX) / 2}
        width={width}
        height={BAR_PX}
        rx={2}
      />
    </PageLink>
  );
}

interface MarkProps {
  readonly placed: PlacedMark;
  readonly scale: Scale;
  readonly height: number;
}

const MARK_PX = 3.5;

function Mark({ placed: { mark, minute, lane }, scale, height }: MarkProps) {
  const x = scale.xOf(minute);
  if (x < 0 || x > scale.width) return null;
  const y = lane < 0 ? height - PAD_PX : PAD_PX + lane * LANE_PX + LANE_PX / 2;
  const what = mark.type === 'commit' ? 'Commit' : 'Pull request';
  const shape =
    mark.type === 'commit' ? <circle cx={x} cy={y} r={MARK_PX} /> : <path d={`M${x} ${y - 5}l5 5l-5 5l-5 -5z`} />;
  return (
    <g className={styles['mark']} role="img" aria-label={`${what} ${formatClock(mark.at)}: ${mark.text}`}>
      <title>{`${what} ${formatClock(mark.at)}: ${mark.text}`}</title>
      {shape}
    </g>
  );
}
