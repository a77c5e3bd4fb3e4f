import { expect, test } from 'vitest';
import { areaPaths, cliffX, lastOfTurns, pointAt, stepTurn, turnLabels, xOf } from './areas.ts';

const points = {
  ordinal: [1, 3, 5, 9],
  turn: [0, 0, 1, 2],
  total: [10, 20, 30, 40],
  by_part: [
    [4, 10, 20, 30],
    [6, 10, 10, 10],
  ],
};
const frame = { leftPx: 10, widthPx: 300, topPx: 0, heightPx: 100, max: 100 };

test('stacks the parts on each other', () => {
  const [first, second] = areaPaths(points, [], frame);
  expect(first).toBe('M10 96L110 90L210 80L310 70L310 100L210 100L110 100L10 100Z');
  expect(second).toBe('M10 90L110 80L210 70L310 60L310 70L210 80L110 90L10 96Z');
});

test('one answer takes the whole width', () => {
  const one = { ordinal: [1], turn: [0], total: [10], by_part: [[10]] };
  expect(areaPaths(one, [], frame)).toEqual(['M10 90L310 90L310 100L10 100Z']);
});

test('drops at a compaction', () => {
  const compaction = {
    id: 'c',
    ordinal: 4,
    kind: 'full' as const,
    trigger: 'auto' as const,
    pre_tokens: 20,
    post_tokens: 5,
    point: 2,
  };
  const [first] = areaPaths({ ...points, by_part: [[10, 50, 20, 30]] }, [compaction], frame);
  expect(cliffX(points, frame, compaction)).toBe(160);
  expect(first).toMatch(/^M10 90L110 50L160 50L160 80L210 80L310 70L/);
});

test('labels the prompts that fit', () => {
  expect(turnLabels(points, frame, 50)).toEqual([
    { x: 10, turn: 0 },
    { x: 210, turn: 1 },
    { x: 310, turn: 2 },
  ]);
  expect(turnLabels(points, frame, 250)).toEqual([
    { x: 10, turn: 0 },
    { x: 310, turn: 2 },
  ]);
});

test('finds points by place and by turn', () => {
  expect(pointAt(points, frame, xOf(points, frame, 2) + 20)).toBe(2);
  expect(pointAt(points, frame, -50)).toBe(0);
  expect(lastOfTurns(points, 10)).toEqual([1, 2, 3]);
  expect([stepTurn(points, 0, 1), stepTurn(points, 2, -1), stepTurn(points, 3, 1)]).toEqual([2, 1, 3]);
});
