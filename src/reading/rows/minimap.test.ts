import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeOutline } from '../../../test/support/make-outline.ts';
import { ITEM_FLAGS, ITEM_KINDS } from '../../domain/outline.ts';
import { BANDS, buildMinimap, itemAtShare, minimapBands, placesOn, shareOf } from './minimap.ts';
import { indexOutline } from './outline-index.ts';
import { mergeTicks, workOf, workParts, workText } from './work.ts';

const names = (bands: Uint8Array) => Array.from(bands, (band) => BANDS[band]);

test('each line of the map shows what covers most of it; errors and prompts are never lost', () => {
  const index = indexOutline(
    makeOutline({
      items: [
        { kind: 'prompt', size: 10 },
        { kind: 'answer', size: 5_000 },
        { kind: 'run', size: 10, flags: ITEM_FLAGS.error },
        { kind: 'answer', size: 5_000 },
        { kind: 'compaction', size: 0 },
        { kind: 'read', size: 20_000 },
      ],
    }),
  );
  expect(names(minimapBands(index, buildMinimap(index), 6))).toEqual([
    'human',
    'error',
    'compaction',
    'read',
    'read',
    'read',
  ]);
});

test('every item of the main conversation has a place that leads back to it', () => {
  const anyItems = fc.array(fc.record({ kind: fc.constantFrom(...ITEM_KINDS), size: fc.nat(50_000) }), {
    minLength: 1,
  });
  fc.assert(
    fc.property(anyItems, fc.integer({ min: 1, max: 300 }), (items, lines) => {
      const index = indexOutline(makeOutline({ items }));
      const map = buildMinimap(index);
      const places = placesOn(map, items.length);
      expect(minimapBands(index, map, lines)).not.toContain(0);
      for (const item of items.keys()) expect(itemAtShare(map, shareOf(index, map, places, item) + 1e-9)).toBe(item);
    }),
  );
});

test('a strip counts what happened and keeps failures visible', () => {
  const index = indexOutline(
    makeOutline({
      items: [
        { kind: 'prompt', turn: 0 },
        { kind: 'read', turn: 0 },
        { kind: 'read', turn: 0 },
        { kind: 'write', turn: 0 },
        { kind: 'run', turn: 0, flags: ITEM_FLAGS.error },
        { kind: 'run', turn: 0 },
        { kind: 'run', turn: 0, flags: ITEM_FLAGS.denied },
        { kind: 'agent', turn: 0, spawned: 0 },
        { kind: 'agent', turn: 0 },
        { kind: 'answer', turn: 0 },
      ],
      turns: [{ ordinal: 0 }],
      agents: ['a'],
    }),
  );
  const turns = { ...index.turns, lines_added: [24], lines_removed: [3], cost: [650_000_000], duration_ms: [240_000] };
  const work = workOf(index, 0);
  expect(workText(workParts({ ...index, turns }, 0, work))).toBe(
    'read 2 · edited 1 (+24 −3) · ran 3, 1 failed, 1 denied · 1 agent · 1 agent call · 4m · $0.65',
  );
  expect(work.ticks.map(({ kind, isError }) => (isError ? 'error' : kind))).toEqual([
    'read',
    'read',
    'write',
    'error',
    'run',
    'run',
    'agent',
    'agent',
  ]);
});

test('merged ticks stay few and lose neither steps nor errors', () => {
  const anySteps = fc.array(
    fc.record({ kind: fc.constantFrom('read' as const, 'run' as const), isError: fc.boolean(), count: fc.constant(1) }),
    { maxLength: 400 },
  );
  fc.assert(
    fc.property(anySteps, fc.integer({ min: 1, max: 40 }), (steps, max) => {
      const merged = mergeTicks(steps, max);
      expect(merged.length).toBeLessThanOrEqual(max);
      expect(merged.reduce((sum, { count }) => sum + count, 0)).toBe(steps.length);
      expect(merged.some(({ isError }) => isError)).toBe(steps.some(({ isError }) => isError));
    }),
  );
});
