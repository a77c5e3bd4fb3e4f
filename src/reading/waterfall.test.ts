import { expect, test } from 'vitest';
import { labeledTicks, layOutCalls, visibleBars } from './waterfall.ts';

type Call = readonly [started: number, waiting: number | null, duration: number | null, agent?: number];

function waterfallOf(list: readonly Call[]) {
  return {
    agents: ['a'],
    calls: {
      ordinal: list.map((_, at) => at),
      block: list.map(() => 0),
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

test('overlapping calls are below each other, and waiting is separate from running', () => {
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

test('an agent has separate rows from its first call to the end of its last', () => {
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

test('a long pause is shortened, and time still increases', () => {
  const { bars, breaks, shownMs } = layOut([
    [0, 0, 1_000],
    [3_600_000, 0, 1_000],
  ]);
  expect(shownMs).toBe(2_000);
  expect(breaks).toEqual([{ at: expect.closeTo(0.5), ms: 3_599_000 }]);
  expect(bars[1]?.start).toBeGreaterThan(bars[0]?.end ?? 1);
  expect(bars[1]?.end).toBeCloseTo(1);
});

test('an empty list is fine, and thousands of short calls become as many bars as there are pixels', () => {
  expect(layOut([])).toMatchObject({ bars: [], rows: 0, parallel: 0 });
  const { bars } = layOut(Array.from({ length: 5_000 }, (_, at): Call => [at * 10, 0, 5]));
  expect(visibleBars(bars, 800).length).toBeLessThanOrEqual(801);
});

test('round times are marked on the axis, also after a pause', () => {
  const { ticks } = layOut([
    [1_500, null, 9_000],
    [3_600_000, null, 5_000],
  ]);
  expect(ticks.map(({ timeMs }) => timeMs)).toEqual([2, 4, 6, 8, 10, 3_600, 3_602, 3_604].map((at) => at * 1_000));
  expect(ticks.map(({ at }) => at)).toEqual(ticks.map(({ at }) => at).toSorted((a, b) => a - b));
  expect(ticks.every(({ at }) => at >= 0 && at <= 1)).toBe(true);
  const labeled = labeledTicks(ticks, 300, 64).map(({ timeMs }) => timeMs);
  expect(labeled).toEqual([2_000, 6_000, 10_000]);
  const day = layOut([[0, null, 86_400_000 * 5]]);
  expect(day.ticks.map(({ timeMs }) => timeMs / 86_400_000)).toEqual([0, 1, 2, 3, 4, 5]);
});
