import type { Waterfall } from '../api/session-views.ts';
import { DAY_MS } from '../domain/durations.ts';
import { createTracks } from './tracks.ts';

/** A call as a bar: times are shares of the width. */
export interface CallBar {
  /** Index of the call. */
  readonly call: number;
  readonly row: number;
  readonly start: number;
  /** Where waiting ends and running begins. */
  readonly run: number;
  readonly end: number;
}

/** The rows of one conversation: the main one or a sub-agent. */
export interface CallLane {
  readonly agent: number;
  readonly firstRow: number;
  readonly rows: number;
  /** From its first call to the end of its last one. */
  readonly start: number;
  readonly end: number;
}

/** A pause in which nothing ran, cut short. */
interface Break {
  readonly at: number;
  readonly ms: number;
}

interface Tick {
  readonly at: number;
  readonly timeMs: number;
}

export interface WaterfallLayout {
  readonly bars: readonly CallBar[];
  readonly lanes: readonly CallLane[];
  readonly breaks: readonly Break[];
  /** Round times on the axis. */
  readonly ticks: readonly Tick[];
  readonly rows: number;
  /** Time without the pauses. */
  readonly shownMs: number;
  readonly waitingMs: number;
  readonly runningMs: number;
  /** The most calls that ran at the same time. */
  readonly parallel: number;
}

/** Longer pauses are cut to this share of the time around them. */
const MAX_PAUSE_MS = 60_000;
const PAUSE_SHARE = 0.02;

/** Places the chosen calls on a common time axis; calls that overlap are below each other. */
export function layOutCalls({ calls }: Waterfall, chosen: readonly number[]): WaterfallLayout {
  const spans = chosen.map((call) => spanOf(calls, call)).sort((a, b) => a.start - b.start || a.end - b.end);
  const axis = createAxis(spans);
  const lanes: CallLane[] = [];
  const bars: CallBar[] = [];
  let rows = 0;
  const byAgent = [...Map.groupBy(spans, ({ agent }) => agent)].sort(([a, c], [b, d]) => order(a, c) - order(b, d));
  for (const [agent, own] of byAgent) {
    const tracks = createTracks();
    for (const span of own) {
      bars.push({
        call: span.call,
        row: rows + tracks.place(span.start, span.end),
        start: axis.at(span.start),
        run: axis.at(span.run),
        end: axis.at(span.end),
      });
    }
    const last = own.reduce((most, { end }) => Math.max(most, end), 0);
    lanes.push({ agent, firstRow: rows, rows: tracks.count, start: axis.at(own[0]?.start ?? 0), end: axis.at(last) });
    rows += tracks.count;
  }
  return {
    bars,
    lanes,
    breaks: axis.breaks,
    ticks: axis.ticks,
    rows,
    shownMs: axis.shownMs,
    waitingMs: spans.reduce((sum, { start, run }) => sum + run - start, 0),
    runningMs: spans.reduce((sum, { run, end }) => sum + end - run, 0),
    parallel: mostAtOnce(spans),
  };
}

/** The main conversation comes first, then agents by their first call. */
function order(agent: number, own: readonly Span[]): number {
  return agent < 0 ? Number.NEGATIVE_INFINITY : (own[0]?.start ?? 0);
}

interface Span {
  readonly call: number;
  readonly agent: number;
  readonly start: number;
  readonly run: number;
  readonly end: number;
}

function spanOf(calls: Waterfall['calls'], call: number): Span {
  const start = calls.started_ms[call] ?? 0;
  const run = start + Math.max(calls.waiting_ms[call] ?? 0, 0);
  return { call, agent: calls.agent[call] ?? -1, start, run, end: run + Math.max(calls.duration_ms[call] ?? 0, 0) };
}

/** A time axis on which long pauses take little room. */
function createAxis(spans: readonly Span[]) {
  const pieces: { start: number; end: number }[] = [];
  for (const { start, end } of spans) {
    const last = pieces.at(-1);
    if (last === undefined || start - last.end > MAX_PAUSE_MS) pieces.push({ start, end });
    else last.end = Math.max(last.end, end);
  }
  const shownMs = pieces.reduce((sum, { start, end }) => sum + end - start, 0);
  const pauseMs = Math.max(shownMs * PAUSE_SHARE, 1);
  const total = Math.max(shownMs + pauseMs * (pieces.length - 1), 1);
  const starts: number[] = [];
  let used = 0;
  for (const { start, end } of pieces) {
    starts.push(used);
    used += end - start + pauseMs;
  }
  const at = (time: number) => {
    const piece = Math.max(lastAtOrBefore(pieces, time), 0);
    return ((starts[piece] ?? 0) + time - (pieces[piece]?.start ?? 0)) / total;
  };
  const breaks = pieces.slice(1).map(({ start }, before) => ({
    at: ((starts[before + 1] ?? 0) - pauseMs / 2) / total,
    ms: start - (pieces[before]?.end ?? start),
  }));
  const stepMs = STEPS_MS.find((step) => shownMs / step <= MAX_TICKS) ?? DAY_MS;
  const ticks = pieces.flatMap(({ start, end }) =>
    roundTimes(start, end, stepMs).map((timeMs) => ({ at: at(timeMs), timeMs })),
  );
  return { at, breaks, ticks, shownMs };
}

const MAX_TICKS = 10;
/** Steps of the axis that are easy to read. */
const STEPS_MS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600].map((seconds) => seconds * 1_000);

function roundTimes(start: number, end: number, stepMs: number): readonly number[] {
  const first = Math.ceil(start / stepMs) * stepMs;
  const count = Math.floor((end - first) / stepMs) + 1;
  return Array.from({ length: Math.max(count, 0) }, (_, at) => first + at * stepMs);
}

function lastAtOrBefore(pieces: readonly { readonly start: number }[], time: number): number {
  let low = 0;
  let high = pieces.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((pieces[middle]?.start ?? 0) <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function mostAtOnce(spans: readonly Span[]): number {
  const changes = spans
    .flatMap(({ run, end }) =>
      end > run
        ? [
            { at: run, by: 1 },
            { at: end, by: -1 },
          ]
        : [],
    )
    .sort((a, b) => a.at - b.at || a.by - b.by);
  let now = 0;
  return changes.reduce((most, { by }) => Math.max(most, (now += by)), 0);
}

/** The bars that are distinguishable at a width: of those that share a pixel, the longest. */
export function visibleBars(bars: readonly CallBar[], widthPx: number): readonly CallBar[] {
  const best = new Map<string, CallBar>();
  for (const bar of bars) {
    const key = `${bar.row} ${Math.floor(bar.start * widthPx)}`;
    const known = best.get(key);
    if (known === undefined || bar.end - bar.start > known.end - known.start) best.set(key, bar);
  }
  return [...best.values()];
}

/** Ticks whose labels touch neither each other nor the end. */
export function labeledTicks(ticks: readonly Tick[], widthPx: number, labelPx: number): readonly Tick[] {
  const labeled: Tick[] = [];
  for (const tick of ticks) {
    const startPx = tick.at * widthPx;
    const last = labeled.at(-1);
    const isFree = last === undefined || startPx >= last.at * widthPx + labelPx;
    if (isFree && startPx + labelPx <= widthPx) labeled.push(tick);
  }
  return labeled;
}
