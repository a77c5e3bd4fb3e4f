import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../domain/transcript.ts';
import { fullerUsage, readUsage } from './usage.ts';

const figures = {
  input_tokens: 10,
  cache_read_input_tokens: 20_166,
  cache_creation_input_tokens: 5235,
  output_tokens: 8,
};

function usage(changes: Record<string, number | string | null> = {}) {
  return readUsage({ usage: { ...figures, ...changes } })?.usage ?? null;
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

describe('an answer that was paused and resumed', () => {
  const paused = (...parts: readonly JsonValue[]) => readUsage({ usage: figures, pausedResponses: parts });

  test('has the tokens of all its parts, each billed by itself', () => {
    const first = {
      limit: 'tools',
      usage: { ...figures, output_tokens_details: { thinking_tokens: 3 } },
      requestId: 'r',
    };
    expect(paused(first, { usage: { output_tokens: 5, speed: 'fast' } })?.usage).toEqual({
      ...usage(),
      input: 20,
      output: 21,
      cacheRead: 40_332,
      cacheWrite5m: 10_470,
      thinkingTokens: 3,
    });
  });

  test('has the tokens of the parts that can be read', () => {
    expect(paused(null, 7, {}, { usage: null }, { usage: { output_tokens: 2 } })?.usage).toEqual({
      ...usage(),
      output: 10,
    });
    expect(readUsage({ usage: figures, pausedResponses: 'none' })?.usage).toEqual(usage());
    expect(paused({ usage: { output_tokens: -1 } })).toMatchObject({ isWellFormed: false, usage: { output: 8 } });
  });
});
