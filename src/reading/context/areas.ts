import type { SessionContext } from '../../api/session-views.ts';
import type { ContextPart } from '../../domain/context-parts.ts';

export const PART_NAMES: Readonly<Record<ContextPart, string>> = {
  system: 'System and tools',
  memory: 'Memory files',
  summary: 'Summary',
  prompts: 'Prompts',
  answers: 'Answers and calls',
  thinking: 'Thinking',
  tool_output: 'Tool output',
  attachments: 'Attachments',
};

export interface Frame {
  readonly leftPx: number;
  readonly widthPx: number;
  readonly topPx: number;
  readonly heightPx: number;
  /** The value at the top. */
  readonly max: number;
}

type Points = SessionContext['points'];
type Compaction = SessionContext['compactions'][number];

export function xOf({ ordinal }: Points, { leftPx, widthPx }: Frame, point: number): number {
  return leftPx + (ordinal.length < 2 ? widthPx / 2 : (point / (ordinal.length - 1)) * widthPx);
}

export function yOf({ topPx, heightPx, max }: Frame, value: number): number {
  return topPx + heightPx * (1 - value / max);
}

/** The point whose place is nearest to a position in the chart. */
export function pointAt({ ordinal }: Points, { leftPx, widthPx }: Frame, xPx: number): number {
  const last = ordinal.length - 1;
  return Math.min(Math.max(Math.round(((xPx - leftPx) / Math.max(widthPx, 1)) * last), 0), last);
}

/** Where a compaction is: half-way between the last point before it and the first one after it. */
export function cliffX(points: Points, frame: Frame, { point }: Pick<Compaction, 'point'>): number {
  return xOf(points, frame, point < 0 ? points.ordinal.length - 1 : Math.max(point - 0.5, 0));
}

/**
 * The area of each part, from the bottom up. A single answer is drawn across the whole width; at a compaction the area
 * ends and continues lower.
 */
export function areaPaths(points: Points, compactions: readonly Compaction[], frame: Frame): readonly string[] {
  const count = points.ordinal.length;
  const cliffs = new Map(compactions.filter(({ point }) => point > 0).map((each) => [each.point, each]));
  const stops = Array.from({ length: count }, (_, at) => {
    const stop = { at, x: xOf(points, frame, at) };
    const cliff = cliffs.get(at);
    if (cliff === undefined) return [stop];
    const x = cliffX(points, frame, cliff);
    return [{ at: at - 1, x }, { at, x }, stop];
  }).flat();
  const places = count === 1 ? [0, 0] : stops.map(({ at }) => at);
  const xs = count === 1 ? [frame.leftPx, frame.leftPx + frame.widthPx] : stops.map(({ x }) => x);
  let below = places.map(() => 0);
  return points.by_part.map((column) => {
    const above = places.map((at, place) => (below[place] as number) + (column[at] ?? 0));
    const line = (values: readonly number[]) =>
      values.map((value, place) => `${round(xs[place] as number)} ${round(yOf(frame, value))}`);
    const path = `M${line(above).join('L')}L${line(below).reverse().join('L')}Z`;
    below = above;
    return path;
  });
}

function round(px: number): number {
  return Math.round(px * 10) / 10;
}

/** The first point of each prompt's turn, by the number of the prompt; far enough apart for labels. */
export function turnLabels(points: Points, frame: Frame, apartPx: number): readonly { x: number; turn: number }[] {
  const labels: { x: number; turn: number }[] = [];
  for (const [at, turn] of points.turn.entries()) {
    const x = xOf(points, frame, at);
    if (turn < 0 || turn === points.turn[at - 1] || x < (labels.at(-1)?.x ?? -Infinity) + apartPx) continue;
    labels.push({ x, turn });
  }
  return labels;
}

/** The last point of each turn, up to a maximum number. */
export function lastOfTurns({ turn }: Points, most: number): readonly number[] {
  const ends = Array.from(turn.keys()).filter((at) => turn[at + 1] !== turn[at]);
  const step = Math.ceil(ends.length / most);
  return ends.filter((_, at) => at % step === 0 || at === ends.length - 1);
}

/** The point of the turn before or after that of a point. */
export function stepTurn({ turn }: Points, point: number, by: 1 | -1): number {
  let at = point;
  while (turn[at + by] !== undefined && turn[at + by] === turn[point]) at += by;
  if (turn[at + by] === undefined) return at;
  at += by;
  while (turn[at + 1] === turn[at] && turn[at + 1] !== undefined) at += 1;
  return at;
}
