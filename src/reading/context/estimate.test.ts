import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ContextMessage } from '../../domain/outline.ts';
import { createContextEstimate } from './estimate.ts';

function message(known: Partial<ContextMessage>): ContextMessage {
  return {
    id: `m${known.ordinal ?? 0}`,
    ordinal: 0,
    agent_id: null,
    message_type: 'user',
    subtype: null,
    origin: 'human',
    model: null,
    context_tokens: null,
    turn_id: 't',
    uuid: null,
    tokens_out: null,
    thinking_tokens: null,
    ...known,
  };
}

function block(ordinal: number, block_type: string, text_bytes: number, tool_result_id: string | null = null) {
  const none = { tool_name: null, tool_use_id: null, is_error: null, head: null, has_image: false };
  return { ...none, ordinal, block_order: 0, block_type, text_bytes, input_bytes: 0, tool_result_id };
}

const answer = (ordinal: number, tokens: number) =>
  message({
    ordinal,
    message_type: 'assistant',
    origin: 'model',
    model: 'claude-opus-4-5',
    context_tokens: tokens,
  });
const compaction = {
  id: 'm4',
  agent_id: null,
  kind: 'full',
  trigger_name: 'auto',
  pre_tokens: 50_000,
  post_tokens: 12_000,
  preserved_uuids: ['kept'],
  cleared_tool_use_ids: [],
};
const main = { agentId: null, turnOf: () => 0 };

test('divides the exact total: the system part is what the first answer had beyond its messages', () => {
  const context = createContextEstimate({ ...main, compactions: [compaction] });
  context.add(
    [
      message({ ordinal: 0, uuid: 'kept' }),
      answer(1, 20_000),
      message({ ordinal: 2, origin: 'tool_result' }),
      answer(3, 50_000),
      message({ ordinal: 4, message_type: 'system', subtype: 'compact_boundary', origin: 'system' }),
      message({ ordinal: 5, origin: 'compact_summary' }),
      answer(6, 24_000),
      { ...answer(7, 90_000), agent_id: 'a' },
    ],
    [
      block(0, 'text', 3_600),
      block(1, 'text', 360),
      block(2, 'tool_result', 72_000, 'call'),
      block(3, 'text', 36),
      block(5, 'text', 7_200),
      block(6, 'text', 36),
    ],
  );
  const { points, parts, window, compactions } = context.finish();
  expect([points.ordinal, points.total, window]).toEqual([[1, 3, 6], [20_000, 50_000, 24_000], 200_000]);
  const of = (part: string) => points.by_part[parts.indexOf(part as never)];
  expect(of('system')).toEqual([19_000, expect.closeTo(19_000, -1), expect.closeTo(19_000, -1)]);
  expect(of('tool_output')?.[1]).toBeGreaterThan(28_000);
  expect(of('tool_output')?.[2]).toBe(0);
  expect(of('summary')).toEqual([0, 0, expect.any(Number)]);
  expect(of('prompts')?.[2]).toBeGreaterThan(0);
  expect(compactions).toMatchObject([{ ordinal: 4, point: 2, pre_tokens: 50_000 }]);
});

test('a context smaller than the system part at the beginning still has its summary and prompts', () => {
  const context = createContextEstimate({ ...main, compactions: [compaction] });
  context.add(
    [
      message({ ordinal: 0 }),
      answer(1, 45_000),
      message({ ordinal: 4, message_type: 'system', subtype: 'compact_boundary', origin: 'system' }),
      message({ ordinal: 5, origin: 'compact_summary' }),
      message({ ordinal: 6 }),
      answer(7, 12_000),
      answer(8, 15_000),
    ],
    [block(0, 'text', 3_600), block(5, 'text', 7_200), block(6, 'text', 3_600), block(7, 'text', 3_600)],
  );
  const { points, parts } = context.finish();
  const of = (part: string) => points.by_part[parts.indexOf(part as never)];
  expect([of('system'), of('summary'), of('prompts')]).toEqual([
    [44_000, 9_000, 9_000],
    [0, 2_000, 3_000],
    [1_000, 1_000, 1_500],
  ]);
});

test('the parts are whole, never negative, and always add up to the total', () => {
  const lines = fc.array(
    fc.record({
      origin: fc.constantFrom('human', 'tool_result', 'model', 'meta', 'compact_summary', 'context'),
      bytes: fc.nat(500_000),
      tokens: fc.nat(300_000),
    }),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(lines, (all) => {
      const context = createContextEstimate({ ...main, compactions: [] });
      context.add(
        all.map(({ origin, tokens }, ordinal) =>
          origin === 'model' ? answer(ordinal, tokens + 5) : message({ ordinal, origin }),
        ),
        all.map(({ bytes }, ordinal) => block(ordinal, 'text', bytes)),
      );
      const { points } = context.finish();
      for (const [at, total] of points.total.entries()) {
        const parts = points.by_part.map((column) => column[at] ?? -1);
        expect(parts.every((tokens) => Number.isInteger(tokens) && tokens >= 0)).toBe(true);
        expect(parts.reduce((sum, tokens) => sum + tokens, 0)).toBe(total);
      }
    }),
  );
});
