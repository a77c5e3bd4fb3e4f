import { useState } from 'react';
import { MINUTE_MS } from '../../../domain/durations.ts';
import { FAILED } from '../../../domain/transcript-structure.ts';
import type { OutlineIndex } from '../../../reading/rows/outline-index.ts';
import type { Waterfall } from '../../../api/session-views.ts';
import { formatClock, formatClockSeconds, formatDuration, plural } from '../../../reading/format.ts';
import { agentName } from '../../../reading/graph/agents.ts';
import { toolKind } from '../../../reading/kinds.ts';
import { type CallBar, labeledTicks, visibleBars, type WaterfallLayout } from '../../../reading/waterfall.ts';
import charts from '../../charts/charts.module.css';
import { fitText } from '../../charts/fit-text.ts';
import { TextTable } from '../../charts/text-table.tsx';
import { useWidth } from '../../charts/size.ts';
import { PageLink } from '../../routing/page-link.tsx';
import styles from './waterfall.module.css';

interface CallChartProps {
  readonly waterfall: Waterfall;
  readonly layout: WaterfallLayout;
  readonly agents: OutlineIndex['agents'];
  readonly sessionId: string;
}

/** Room for the times above the lanes. */
const AXIS_PX = 18;
const ROW_PX = 22;
const BAR_PX = 16;
const LANE_PX = 20;
const MIN_BAR_PX = 2;
const NAME_FROM_PX = 44;
const MAX_TABLE_ROWS = 100;
const TYPE_PX = 11;
const CHAR_PX = 7;

/** Bars of calls: hatched while waiting, filled while running. */
export function CallChart({ waterfall, layout, agents, sessionId }: CallChartProps) {
  const [ref, width] = useWidth<HTMLElement>();
  const [hovered, setHovered] = useState<number | null>(null);
  const { lanes, breaks, rows } = layout;
  const tops = laneTops(layout);
  const heightPx = AXIS_PX + rows * ROW_PX + lanes.length * LANE_PX;
  const bars = visibleBars(layout.bars, width);
  return (
    <>
      <p className={styles['readout']} role="status">
        {hovered === null ? 'Point at a call to see its times; click it to open it.' : describeCall(waterfall, hovered)}
      </p>
      <figure ref={ref} className={charts['figure']}>
        <svg
          className={charts['svg']}
          viewBox={`0 0 ${width} ${heightPx}`}
          height={heightPx}
          role="group"
          aria-label={`${plural(bars.length, 'call')} over time`}
        >
          <Axis layout={layout} width={width} heightPx={heightPx} />
          {breaks.map(({ at, ms }, index) => (
            <line key={index} className={styles['break']} x1={at * width} x2={at * width} y1={AXIS_PX} y2={heightPx}>
              <title>{`${formatDuration(ms)} without calls`}</title>
            </line>
          ))}
          <Lanes waterfall={waterfall} layout={layout} agents={agents} tops={tops} width={width} />
          {bars.map((bar) => (
            <Bar
              key={bar.call}
              bar={bar}
              y={barTop(layout, tops, bar)}
              width={width}
              {...{ waterfall, sessionId, setHovered }}
            />
          ))}
        </svg>
      </figure>
      <TextTable
        caption="Calls by time, the longest"
        head={['Call', 'Times']}
        rows={layout.bars
          .toSorted((a, b) => b.end - b.start - (a.end - a.start))
          .slice(0, MAX_TABLE_ROWS)
          .map(({ call }) => [nameOf(waterfall, call), timesOf(waterfall, call)])}
      />
    </>
  );
}

interface AxisProps {
  readonly layout: WaterfallLayout;
  readonly width: number;
  readonly heightPx: number;
}

/** Times of day; labels that would touch each other or the end are left out. */
function Axis({ layout: { ticks }, width, heightPx }: AxisProps) {
  const hasSeconds = ticks.some(({ timeMs }) => timeMs % MINUTE_MS !== 0);
  const labeled = labeledTicks(ticks, width, hasSeconds ? 64 : 44);
  return (
    <g aria-hidden="true">
      {ticks.map(({ at, timeMs }) => (
        <line key={timeMs} className={charts['grid']} x1={at * width} x2={at * width} y1={AXIS_PX} y2={heightPx} />
      ))}
      {labeled.map(({ at, timeMs }) => (
        <text key={timeMs} className={styles['time']} x={at * width} y={AXIS_PX - 6}>
          {(hasSeconds ? formatClockSeconds : formatClock)(new Date(timeMs).toISOString())}
        </text>
      ))}
    </g>
  );
}

interface LanesProps extends Omit<CallChartProps, 'sessionId'> {
  readonly tops: readonly number[];
  readonly width: number;
}

/** The names of the conversations, and agents as spans behind their calls. */
function Lanes({ waterfall, layout, agents, tops, width }: LanesProps) {
  const names = new Map(agents.map((agent) => [agent.agent_id, agentName(agent)]));
  return layout.lanes.map(({ agent, start, end, rows }, lane) => {
    const top = tops[lane] ?? 0;
    const name = agent < 0 ? 'Main' : (names.get(waterfall.agents[agent] ?? '') ?? 'agent');
    const x = agent < 0 ? 0 : Math.max(Math.min(start * width + 4, width - name.length * CHAR_PX), 0);
    return (
      <g key={agent} aria-hidden="true">
        {agent >= 0 && (
          <rect
            className={styles['span']}
            x={start * width}
            y={top}
            width={Math.max((end - start) * width, MIN_BAR_PX)}
            height={LANE_PX + rows * ROW_PX}
          />
        )}
        <text className={styles['lane']} x={x} y={top + 14}>
          {fitText(name, width - x, TYPE_PX)}
        </text>
      </g>
    );
  });
}

/** Every lane has a line for its name above its rows. */
function laneTops({ lanes }: WaterfallLayout): readonly number[] {
  return lanes.map(({ firstRow }, lane) => AXIS_PX + firstRow * ROW_PX + lane * LANE_PX);
}

function barTop({ lanes }: WaterfallLayout, tops: readonly number[], { row }: CallBar): number {
  const lane = lanes.findLastIndex(({ firstRow }) => firstRow <= row);
  return (tops[lane] ?? 0) + LANE_PX + (row - (lanes[lane]?.firstRow ?? 0)) * ROW_PX;
}

interface BarProps {
  readonly bar: CallBar;
  readonly y: number;
  readonly width: number;
  readonly waterfall: Waterfall;
  readonly sessionId: string;
  readonly setHovered: (call: number | null) => void;
}

function Bar({ bar: { call, start, run, end }, y, width, waterfall, sessionId, setHovered }: BarProps) {
  const { calls } = waterfall;
  const px = Math.max((end - run) * width, MIN_BAR_PX);
  const status = calls.status[call];
  return (
    <PageLink
      page={{ kind: 'session', id: sessionId, at: calls.ordinal[call] ?? 0, block: calls.block[call] ?? null }}
      className={styles['call']}
      aria-label={describeCall(waterfall, call)}
    >
      <g
        data-call={toolKind(calls.name[call] ?? null)}
        data-failed={status === FAILED || undefined}
        onPointerEnter={() => setHovered(call)}
        onPointerLeave={() => setHovered(null)}
      >
        {run > start && (
          <rect className={styles['waiting']} x={start * width} y={y} width={(run - start) * width} height={BAR_PX} />
        )}
        <rect className={styles['running']} x={run * width} y={y} width={px} height={BAR_PX} rx={2} />
        {px > NAME_FROM_PX && (
          <text className={styles['name']} x={run * width + 5} y={y + BAR_PX - 4} fontSize={TYPE_PX}>
            {fitText(nameOf(waterfall, call), px - 12, TYPE_PX)}
          </text>
        )}
      </g>
    </PageLink>
  );
}

function nameOf({ calls }: Waterfall, call: number): string {
  return [calls.name[call] ?? 'Call', calls.subject[call]].filter(Boolean).join(' ');
}

function timesOf({ calls }: Waterfall, call: number): string {
  const waiting = calls.waiting_ms[call] ?? 0;
  const duration = calls.duration_ms[call] ?? null;
  const status = calls.status[call] ?? 'ok';
  return [
    formatClockSeconds(new Date(calls.started_ms[call] ?? 0).toISOString()),
    waiting > 0 ? `waited ${formatDuration(waiting)}` : '',
    duration === null ? '' : `ran ${formatDuration(duration)}`,
    status === 'ok' ? '' : status,
  ]
    .filter((part) => part !== '')
    .join(', ');
}

function describeCall(waterfall: Waterfall, call: number): string {
  return `${nameOf(waterfall, call)}: ${timesOf(waterfall, call)}`;
}
