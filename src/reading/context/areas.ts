import type { SessionContext } from '../../api/context.ts';
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

/** The area of each part, from the bottom up. A single answer is drawn across the whole width. */
export function areaPaths(points: Points, frame: Frame): readonly string[] {
  const count = points.ordinal.length;
  const places = count === 1 ? [0, 0] : Array.from({ length: count }, (_, at) => at);
  const xs = count === 1 ? [frame.leftPx, frame.leftPx + frame.widthPx] : places.map((at) => xOf(points, frame, at));
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

/** The last point of each turn, at most so many of them. */
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
