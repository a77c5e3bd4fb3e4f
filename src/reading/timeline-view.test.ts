import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Activity } from '../api/activity.ts';
import { dayText } from '../domain/days.ts';
import { DAY_MS, MINUTE_MS } from '../domain/durations.ts';
import {
  axisMinutes,
  formatMinute,
  formatWindow,
  layOutDays,
  panWindow,
  parseWindow,
  rankWorkspaces,
  WHOLE_DAY,
  zoomWindow,
} from './timeline-view.ts';

const utc = (ms: number) => ({ day: dayText(ms), minute: (ms % DAY_MS) / MINUTE_MS });
const at = (text: string) => Date.parse(`${text}Z`);

function activity(sessions: Readonly<Record<string, readonly (readonly [string, string])[]>>): Activity {
  return {
    since: '2026-11-14',
    until: '2026-11-16',
    timezone: 'UTC',
    sessions: Object.entries(sessions).map(([id, turns]) => ({
      id,
      title: id,
      workspace_key: 'folder:device:/home/ada/w',
      workspace_name: 'w',
      git_branch: null,
      cost_nanos: 0,
      is_live: false,
      turns: turns.map(([from, to], ordinal) => [at(from), at(to), ordinal] as const),
    })),
    git_activity: [],
    is_cut: false,
    last_active_at: null,
  };
}

describe('a timeline', () => {
  it('has every day, newest first, and parts of turns that run past midnight in both days', () => {
    const days = layOutDays(activity({ a: [['2026-11-14T23:30', '2026-11-15T00:45']] }), utc);
    expect(days.map(({ day, activeMinutes }) => [day, activeMinutes])).toEqual([
      ['2026-11-16', 0],
      ['2026-11-15', 45],
      ['2026-11-14', 30],
    ]);
  });

  it('ranks workspaces by time and keeps those with the same name apart', () => {
    const turns = {
      a: [['2026-11-15T09:00', '2026-11-15T09:10']],
      b: [['2026-11-15T09:00', '2026-11-15T09:30']],
    } as const;
    const one = activity(turns);
    const sessions = one.sessions.map((session) => ({
      ...session,
      workspace_key: `folder:device:/home/ada/${session.id}/w`,
    }));
    expect([...rankWorkspaces(layOutDays({ ...one, sessions }, utc))]).toEqual([
      ['folder:device:/home/ada/b/w', { label: 'w (b)', rank: 0 }],
      ['folder:device:/home/ada/a/w', { label: 'w (a)', rank: 1 }],
    ]);
    expect([...rankWorkspaces(layOutDays(one, utc)).values()]).toEqual([{ label: 'w', rank: 0 }]);
  });

  it('has one part for a turn within a day, however its length is rounded', () => {
    const days = layOutDays(activity({ a: [['2026-11-14T07:05:11.337', '2026-11-14T07:07:45.112']] }), utc);
    expect(days.map(({ bursts }) => bursts.length)).toEqual([0, 0, 1]);
  });

  it('shows overlapping sessions below each other, also in the pauses of one of them', () => {
    const [, day] = layOutDays(
      activity({
        a: [
          ['2026-11-15T09:00', '2026-11-15T09:10'],
          ['2026-11-15T11:00', '2026-11-15T11:10'],
        ],
        b: [['2026-11-15T10:00', '2026-11-15T10:10']],
        c: [['2026-11-15T12:00', '2026-11-15T12:10']],
      }),
      utc,
    );
    expect(day?.lanes).toBe(2);
    expect(day?.bursts.map(({ session, lane }) => [session.id, lane])).toEqual([
      ['a', 0],
      ['b', 1],
      ['a', 0],
      ['c', 0],
    ]);
  });

  it('shows commits in the lane of their session, and omits pushes', () => {
    const mark = { workspace_name: 'w', text: 'x', commit_sha: null, session_id: 'a' };
    const given = activity({ a: [['2026-11-15T09:00', '2026-11-15T09:10']] });
    const [, day] = layOutDays(
      {
        ...given,
        git_activity: [
          { ...mark, at: '2026-11-15T09:05:00Z', type: 'commit' },
          { ...mark, at: '2026-11-15T09:06:00Z', type: 'push' },
          { ...mark, at: '2026-11-15T20:00:00Z', type: 'pr', session_id: null },
        ],
      },
      utc,
    );
    expect(day?.marks.map(({ minute, lane }) => [minute, lane])).toEqual([
      [545, 0],
      [1200, -1],
    ]);
  });
});

describe('a window of hours', () => {
  it('zooms around a moment and stays within the day', () => {
    expect(zoomWindow(WHOLE_DAY, 1, 600)).toEqual({ from: 240, minutes: 720 });
    expect(zoomWindow(WHOLE_DAY, -1, 600)).toEqual(WHOLE_DAY);
    expect(zoomWindow({ from: 0, minutes: 60 }, 1, 1)).toEqual({ from: 0, minutes: 20 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1440 }), fc.array(fc.constantFrom<1 | -1>(1, -1)), (minute, steps) => {
        const { from, minutes } = panWindow(
          steps.reduce((now, step) => zoomWindow(now, step, minute), WHOLE_DAY),
          0.5,
        );
        expect(from).toBeGreaterThanOrEqual(0);
        expect(from + minutes).toBeLessThanOrEqual(1440);
        expect(parseWindow(formatWindow({ from, minutes }) ?? undefined)).toEqual({ from, minutes });
      }),
    );
  });

  it('is the whole day for an invalid address', () => {
    expect(['', 'x', '5-7', '99999-60', undefined].map(parseWindow)).toEqual(Array(5).fill(WHOLE_DAY));
  });

  it('has round times on its axis', () => {
    expect(axisMinutes(WHOLE_DAY, 12).map(formatMinute)).toEqual([
      '00:00',
      '02:00',
      '04:00',
      '06:00',
      '08:00',
      '10:00',
      '12:00',
      '14:00',
      '16:00',
      '18:00',
      '20:00',
      '22:00',
      '24:00',
    ]);
    expect(axisMinutes({ from: 547, minutes: 20 }, 8).map(formatMinute)).toEqual(['09:10', '09:15', '09:20', '09:25']);
  });
});
