import type { Activity } from '../api/activity.ts';
import { addDays } from '../domain/days.ts';
import { DAY_MS, MINUTE_MS } from '../domain/durations.ts';
import { nameWorkspaces } from './cost-view.ts';
import { createTracks } from './tracks.ts';

type ActiveSession = Activity['sessions'][number];
export type GitMark = Activity['git_activity'][number];

/** Where a moment is on the reader's clock: the day, and the minutes since its midnight. */
export interface ClockTime {
  readonly day: string;
  readonly minute: number;
}
export type LocalClock = (timeMs: number) => ClockTime;

const MINUTES_PER_DAY = DAY_MS / MINUTE_MS;

/** A part of a turn within one day, in minutes since midnight. */
export interface Burst {
  readonly session: ActiveSession;
  readonly from: number;
  readonly to: number;
  /** The ordinal of the prompt; null when only the session is known. */
  readonly ordinal: number | null;
  readonly lane: number;
}

export interface PlacedMark {
  readonly mark: GitMark;
  readonly minute: number;
  /** The lane of its session; -1 for activity outside of sessions. */
  readonly lane: number;
}

/** A session from its first to its last moment of a day. */
export interface DayExtent {
  readonly id: string;
  readonly from: number;
  readonly to: number;
  readonly lane: number;
}

export interface TimelineDay {
  readonly day: string;
  readonly extents: readonly DayExtent[];
  readonly bursts: readonly Burst[];
  readonly marks: readonly PlacedMark[];
  readonly lanes: number;
  readonly activeMinutes: number;
  readonly sessions: number;
}

/** The days of a period, newest first, with sessions in lanes: sessions that overlap are below each other. */
export function layOutDays(activity: Activity, clock: LocalClock): readonly TimelineDay[] {
  const pieces = Map.groupBy(
    activity.sessions.flatMap((session) => piecesOf(session, clock)),
    ({ day }) => day,
  );
  const marks = Map.groupBy(
    activity.git_activity
      .filter(({ type }) => type === 'commit' || type === 'pr')
      .map((mark) => ({ mark, ...clock(Date.parse(mark.at)) })),
    ({ day }) => day,
  );
  const days: TimelineDay[] = [];
  for (let day = activity.until; day >= activity.since; day = addDays(day, -1))
    days.push(layOutDay(day, pieces.get(day) ?? [], marks.get(day) ?? []));
  return days;
}

export interface RankedWorkspace {
  readonly label: string;
  readonly rank: number;
}
/** By canonical id. */
export type RankedWorkspaces = ReadonlyMap<string, RankedWorkspace>;

/** Workspaces by time, so that the busiest ones have a color of their own; those with the same name are separate. */
export function rankWorkspaces(days: readonly TimelineDay[]): RankedWorkspaces {
  const bursts = days.flatMap((day) => day.bursts);
  const labels = nameWorkspaces(
    new Map(bursts.map(({ session: { workspace_key, workspace_name } }) => [workspace_key, workspace_name])),
  );
  const minutes = new Map<string, number>();
  for (const { session, from, to } of bursts)
    minutes.set(session.workspace_key, (minutes.get(session.workspace_key) ?? 0) + to - from);
  const ranked = [...minutes].toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return new Map(ranked.map(([key], rank) => [key, { label: labels.get(key) ?? key, rank }]));
}

type Piece = Omit<Burst, 'lane'> & { readonly day: string };

/** A turn that runs past midnight has a piece in each day. */
function piecesOf(session: ActiveSession, clock: LocalClock): readonly Piece[] {
  return session.turns.flatMap(([start, end, ordinal]) => {
    const first = clock(start);
    const pieces: Piece[] = [];
    let { day, minute: from } = first;
    let left = (end - start) / MINUTE_MS;
    for (; from + left > MINUTES_PER_DAY; day = addDays(day, 1)) {
      pieces.push({ session, day, from, to: MINUTES_PER_DAY, ordinal });
      left -= MINUTES_PER_DAY - from;
      from = 0;
    }
    return [...pieces, { session, day, from, to: from + left, ordinal }];
  });
}

function layOutDay(
  day: string,
  pieces: readonly Piece[],
  marks: readonly (ClockTime & { readonly mark: GitMark })[],
): TimelineDay {
  const extents = assignLanes(pieces);
  const lanes = new Map(extents.map(({ id, lane }) => [id, lane]));
  const bursts = pieces.map(({ day: _, ...piece }) => ({ ...piece, lane: lanes.get(piece.session.id) ?? 0 }));
  return {
    day,
    extents,
    bursts: bursts.toSorted((a, b) => a.from - b.from || a.lane - b.lane),
    marks: marks.map(({ mark, minute }) => ({ mark, minute, lane: lanes.get(mark.session_id ?? '') ?? -1 })),
    lanes: new Set(lanes.values()).size,
    activeMinutes: bursts.reduce((sum, { from, to }) => sum + to - from, 0),
    sessions: lanes.size,
  };
}

/** Every session gets the first lane that is free from its first to its last moment of the day. */
function assignLanes(pieces: readonly Piece[]): readonly DayExtent[] {
  const sessions = [...Map.groupBy(pieces, ({ session }) => session.id)].map(([id, own]) => ({
    id,
    from: Math.min(...own.map(({ from }) => from)),
    to: Math.max(...own.map(({ to }) => to)),
  }));
  const tracks = createTracks();
  const byStart = sessions.toSorted((a, b) => a.from - b.from || (a.id < b.id ? -1 : 1));
  return byStart.map((session) => ({ ...session, lane: tracks.place(session.from, session.to) }));
}

/** The visible part of the hours axis: from a minute of the day, for some minutes. */
export interface TimeWindow {
  readonly from: number;
  readonly minutes: number;
}

export const WHOLE_DAY: TimeWindow = { from: 0, minutes: MINUTES_PER_DAY };
const ZOOMS = [24 * 60, 12 * 60, 6 * 60, 3 * 60, 60, 20];

/** One step in (1) or out (-1) around a minute, within the day. */
export function zoomWindow({ minutes }: TimeWindow, step: 1 | -1, around: number): TimeWindow {
  const at = ZOOMS.findIndex((zoom) => zoom <= minutes);
  const next = ZOOMS[Math.min(Math.max(at + step, 0), ZOOMS.length - 1)] ?? MINUTES_PER_DAY;
  return clampWindow({ from: around - next / 2, minutes: next });
}

export function panWindow(window: TimeWindow, share: number): TimeWindow {
  return clampWindow({ ...window, from: window.from + share * window.minutes });
}

function clampWindow({ from, minutes }: TimeWindow): TimeWindow {
  return { from: Math.round(Math.min(Math.max(from, 0), MINUTES_PER_DAY - minutes)), minutes };
}

/** Reads `540-180`, as the address has it: from 9:00 for three hours. */
export function parseWindow(text: string | undefined): TimeWindow {
  const [, from = '', minutes = ''] = /^(\d{1,4})-(\d{1,4})$/.exec(text ?? '') ?? [];
  const known = ZOOMS.find((zoom) => zoom === Number(minutes));
  return known === undefined ? WHOLE_DAY : clampWindow({ from: Number(from), minutes: known });
}

export function formatWindow({ from, minutes }: TimeWindow): string | null {
  return minutes === MINUTES_PER_DAY ? null : `${from}-${minutes}`;
}

const STEPS = [1, 5, 15, 30, 60, 120, 180, 240];

/** Minutes of the axis with a label: round times, at most `count` of them. */
export function axisMinutes({ from, minutes }: TimeWindow, count: number): readonly number[] {
  const step = STEPS.find((each) => minutes / each <= count) ?? 360;
  const all: number[] = [];
  for (let minute = Math.ceil(from / step) * step; minute <= from + minutes; minute += step) all.push(minute);
  return all;
}

/** `09:05`. */
export function formatMinute(minute: number): string {
  const whole = Math.floor(minute);
  return [Math.floor(whole / 60), whole % 60].map((part) => String(part).padStart(2, '0')).join(':');
}
