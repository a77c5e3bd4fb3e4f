import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readStatusInput } from './status-input.ts';

describe('the input of a status line', () => {
  it('has the fields that the client documents', () => {
    const told = {
      session_id: 's1',
      transcript_path: '/t.jsonl',
      model: { id: 'claude-opus-4-6', display_name: 'Opus 4.6' },
      cost: { total_cost_usd: 0.5 },
      context_window: { used_percentage: 8, context_window_size: 200_000 },
      rate_limits: { five_hour: { used_percentage: 42 }, seven_day: { used_percentage: 18 } },
    };
    expect(readStatusInput(JSON.stringify(told))).toEqual({
      sessionId: 's1',
      transcriptPath: '/t.jsonl',
      model: 'Opus 4.6',
      sessionUsd: 0.5,
      contextPercent: 8,
      fiveHourPercent: 42,
      sevenDayPercent: 18,
      columns: null,
    });
  });

  it('computes the fill of the context from tokens where the client gives no percentage', () => {
    const usage = { input_tokens: 10, cache_creation_input_tokens: 90, cache_read_input_tokens: 900, output_tokens: 5 };
    const percent = (window: object) => readStatusInput(JSON.stringify({ context_window: window })).contextPercent;
    expect(percent({ context_window_size: 2_000, current_usage: usage })).toBe(50);
    expect(percent({ context_window_size: 0, current_usage: usage })).toBeNull();
    expect(percent({ context_window_size: 2_000, current_usage: null })).toBeNull();
  });

  it('accepts any text and any JSON', () => {
    const nothing = Object.keys(readStatusInput(''));
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        const input = readStatusInput(text);
        expect(Object.keys(input)).toEqual(nothing);
        for (const value of Object.values(input)) expect(['string', 'number', 'object']).toContain(typeof value);
      }),
    );
  });
});
