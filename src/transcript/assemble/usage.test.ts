import { describe, expect, test } from 'vitest';
import { fullerUsage, readUsage } from './usage.ts';

const figures = {
  input_tokens: 10,
  cache_read_input_tokens: 20_166,
  cache_creation_input_tokens: 5235,
  output_tokens: 8,
};

function usage(changes: Record<string, number | string | null> = {}) {
  return readUsage({ ...figures, ...changes })?.usage ?? null;
}

describe('of two usage records of one API message', () => {
  test.each([
    ['more output', {}, { output_tokens: 3, cache_creation_input_tokens: 9999 }],
    ['the same output but more cache writes', {}, { cache_creation_input_tokens: null }],
    ['the same output but more input', {}, { input_tokens: null }],
    ['a faster speed', { speed: 'fast' }, {}],
    ['no discount', {}, { service_tier: 'batch' }],
  ])('the one with %s counts, in either order', (_, fuller, other) => {
    expect(fullerUsage(usage(fuller), usage(other))).toEqual(usage(fuller));
    expect(fullerUsage(usage(other), usage(fuller))).toEqual(usage(fuller));
  });

  test('the later one counts if they are equal', () => {
    const later = usage();
    expect(fullerUsage(usage(), later)).toBe(later);
  });
});
