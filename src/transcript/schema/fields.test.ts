import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fixtureLines, hostileJson, LINE_FIXTURES } from '../testing/schema-lines.ts';
import { compileFields, knowsAll } from './fields.ts';
import { fields, openFields, opt, str, variantsBy } from './kit.ts';
import { lineFields } from './lines.ts';
import { type Step, walkFields } from './walk-fields.ts';

function strays(schema: z.ZodType, value: unknown): string[] {
  const found: string[] = [];
  walkFields(compileFields(schema), value, (kind, path, type) => found.push(`${kind} ${show(path)} ${type}`));
  return found;
}

function show(path: readonly Step[]): string {
  return path.map((step) => (step.kind === 'index' ? step.index : `${step.kind[0]}:${step.name}`)).join('/');
}

describe('a field table', () => {
  it('knows fields of objects, arrays and maps', () => {
    const schema = fields({ a: z.array(fields({ b: opt(str) })), m: z.record(str, fields({ c: str })) });
    expect(strays(schema, { a: [{ b: 'x' }, { b: null, x: 1 }], m: { any: { c: 'x', y: true } }, z: null })).toEqual([
      'field f:a/1/f:x number',
      'field f:m/k:any/f:y boolean',
      'field f:z null',
    ]);
  });

  it('allows the fields of every option of a union', () => {
    const schema = z.union([str, fields({ a: str }), fields({ a: z.number(), b: str })]);
    expect(strays(schema, { a: 1, b: 'x' })).toEqual([]);
    expect(strays(schema, { a: 'x', c: 1 })).toEqual(['field f:c number']);
    expect(strays(schema, [])).toEqual(['json_type  array']);
    expect(strays(z.union([fields({ a: str }), openFields({ b: str })]), { c: 1 })).toEqual([]);
  });

  it('follows variants and names unknown ones', () => {
    const schema = variantsBy('kind', { tea: fields({ kind: z.literal('tea'), cups: z.number() }) });
    expect(strays(schema, { kind: 'tea', cups: 1 })).toEqual([]);
    expect(strays(schema, { kind: 'tea', milk: 1 })).toEqual(['field v:tea/f:milk number']);
    expect(strays(schema, { kind: 'coffee', beans: 1 })).toEqual(['variant v:coffee object']);
  });

  it('does not descend into open objects and undescribed values', () => {
    const schema = fields({ open: openFields({ a: str }), any: z.unknown() });
    expect(strays(schema, { open: { b: 1 }, any: { c: [1] } })).toEqual([]);
  });

  it('reports another JSON type', () => {
    expect(strays(fields({ a: opt(str) }), { a: 1 })).toEqual(['json_type f:a number']);
  });

  it('gives the same result with the fast check and the full walk', () => {
    const tables = [...lineFields().values()];
    const lines = LINE_FIXTURES.flatMap(fixtureLines);
    fc.assert(
      fc.property(fc.constantFrom(...tables), fc.oneof(hostileJson, fc.constantFrom(...lines)), (node, value) => {
        let found = 0;
        walkFields(node, value, () => {
          found += 1;
        });
        expect(knowsAll(node, value)).toBe(found === 0);
      }),
      { numRuns: 3000 },
    );
  });
});
