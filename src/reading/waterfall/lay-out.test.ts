import { expect, test } from 'vitest';
import { layOutCalls, visibleBars } from './lay-out.ts';

type Call = readonly [started: number, waiting: number | null, duration: number | null, agent?: number];

function waterfallOf(list: readonly Call[]) {
  return {
    agents: ['a'],
    calls: {
      ordinal: list.map((_, at) => at),
      name: list.map(() => 'Bash'),
      subject: list.map(() => null),
      agent: list.map(([, , , agent = -1]) => agent),
      turn_id: list.map(() => 't'),
      started_ms: list.map(([started]) => started),
      waiting_ms: list.map(([, waiting]) => waiting),
      duration_ms: list.map(([, , duration]) => duration),
      status: list.map(() => 'ok'),
    },
  };
}

const layOut = (list: readonly Call[]) =>
  layOutCalls(
    waterfallOf(list),
    list.map((_, at) => at),
  );

test('calls that overlap are below each other, and waiting is apart from running', () => {
  const { bars, rows, waitingMs, runningMs, parallel } = layOut([
    [0, 40, 60],
    [50, 0, 50],
    [100, null, null],
  ]);
  expect(bars).toEqual([
    { call: 0, row: 0, start: 0, run: 0.4, end: 1 },
    { call: 1, row: 1, start: 0.5, run: 0.5, end: 1 },
    { call: 2, row: 0, start: 1, run: 1, end: 1 },
  ]);
  expect([rows, waitingMs, runningMs, parallel]).toEqual([2, 40, 110, 2]);
});

test('an agent has rows of its own from its first call to the end of its last', () => {
  const { lanes } = layOut([
    [0, 0, 100],
    [10, 0, 20, 0],
    [50, 0, 30, 0],
  ]);
  expect(lanes).toEqual([
    { agent: -1, firstRow: 0, rows: 1, start: 0, end: 1 },
    { agent: 0, firstRow: 1, rows: 1, start: 0.1, end: 0.8 },
  ]);
});

test('a long pause is cut short, and time still goes forward', () => {
  const { bars, breaks, shownMs } = layOut([
    [0, 0, 1_000],
    [3_600_000, 0, 1_000],
  ]);
  expect(shownMs).toBe(2_000);
  expect(breaks).toEqual([{ at: expect.closeTo(0.5), ms: 3_599_000 }]);
  expect(bars[1]?.start).toBeGreaterThan(bars[0]?.end ?? 1);
  expect(bars[1]?.end).toBeCloseTo(1);
});

test('nothing to draw is fine, and thousands of short calls become as many bars as there are pixels', () => {
  expect(layOut([])).toMatchObject({ bars: [], rows: 0, parallel: 0 });
  const { bars } = layOut(Array.from({ length: 5_000 }, (_, at): Call => [at * 10, 0, 5]));
  expect(visibleBars(bars, 800).length).toBeLessThanOrEqual(801);
});
