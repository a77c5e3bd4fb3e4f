import { describe, expect, it } from 'vitest';
import { fixtureLines } from '../../testing/schema-lines.ts';
import { validateLine } from '../lines.ts';
import { TOOL_RESULT_SHAPES, toolResultName } from './table.ts';

const samples = fixtureLines('tool-results') as unknown as readonly { shape: string; value: unknown }[];
const line = { type: 'user', uuid: 'u', sessionId: 's', timestamp: 't', message: { content: 'x' } };

describe('tool results', () => {
  it.each(samples.map((sample) => [sample.shape, sample.value]))('%s is recognized and fully known', (shape, value) => {
    expect(toolResultName(value)).toBe(shape);
    expect(validateLine({ ...line, toolUseResult: value }, { strict: true }).issues).toEqual([]);
  });

  it('every shape has a sample', () => {
    const seen = new Set(samples.map((sample) => sample.shape));
    expect(Object.keys(TOOL_RESULT_SHAPES).filter((name) => !seen.has(name))).toEqual([]);
  });

  it.each([['text'], [['array']], [null], [7], [{}], [{ brand: 'new' }]])(
    '%j has no shape and is accepted',
    (value) => {
      expect(toolResultName(value)).toBeNull();
    },
  );

  it('text and arrays of MCP content are accepted; other values are not', () => {
    for (const good of ['Error: no', [{ type: 'text', text: 'x' }], [{ type: 'brand_new' }], null, {}]) {
      expect(validateLine({ ...line, toolUseResult: good }).issues).toEqual([]);
    }
    expect(validateLine({ ...line, toolUseResult: 7 }).issues).toEqual([
      { path: 'toolUseResult', message: 'expected string or array or object' },
    ]);
  });
});
