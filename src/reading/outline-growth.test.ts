import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BlockHead, MessageHead, OutlineParts } from '../domain/outline.ts';
import { createOutline } from './outline.ts';
import { growOutline, outlineSince } from './outline-growth.ts';

const CALLS = ['c0', 'c1', 'c2', 'c3', null] as const;
const TURNS = ['t0', 't1', 't2', 't3', null] as const;

const block = fc.record({
  type: fc.constantFrom('text', 'thinking', 'tool_use', 'tool_result', 'image'),
  call: fc.constantFrom(...CALLS),
  bytes: fc.nat(99),
  isError: fc.boolean(),
  isBlank: fc.boolean(),
});
const message = fc.record({
  origin: fc.constantFrom('model', 'model', 'tool_result', 'human', 'synthetic', 'context'),
  turn: fc.constantFrom(...TURNS),
  agent: fc.constantFrom(null, null, 'a0', 'a1', 'a2'),
  cost: fc.option(fc.nat(99)),
  isInherited: fc.boolean(),
  blocks: fc.array(block, { maxLength: 3 }),
});
type Message = typeof message extends fc.Arbitrary<infer T> ? T : never;

/** A session at one moment. */
const moment = fc.record({
  /** How many of its messages are as they were before. */
  same: fc.nat(12),
  added: fc.array(message, { maxLength: 5 }),
  turns: fc.subarray(['t0', 't1', 't2', 't3']),
  left: fc.subarray(['t0', 't1', 't2', 't3']),
  agents: fc.subarray(['a0', 'a1']),
  callOfAgent: fc.constantFrom(...CALLS),
  status: fc.dictionary(fc.constantFrom('c0', 'c1', 'c2', 'c3'), fc.constantFrom('error', 'denied', 'interrupted')),
  commits: fc.array(fc.record({ call: fc.constantFrom(...CALLS), at: fc.nat(20) }), { maxLength: 2 }),
});
type Moment = typeof moment extends fc.Arbitrary<infer T> ? T : never;

const timeOf = (at: number) => new Date(Date.UTC(2026, 0, 5) + at * 1_000).toISOString();

function headOf({ origin, turn, agent, cost, isInherited }: Message, ordinal: number): MessageHead {
  return {
    ordinal,
    agent_id: agent,
    message_type: origin === 'model' ? 'assistant' : 'user',
    subtype: null,
    origin,
    is_meta: false,
    is_inherited: isInherited,
    timestamp: ordinal % 5 === 4 ? null : timeOf(ordinal),
    turn_id: turn,
    model: origin === 'model' ? `model-${ordinal % 2}` : null,
    context_tokens: cost,
    cost_nanos: cost,
    metadata: null,
  };
}

function blocksOf({ blocks }: Message, ordinal: number): BlockHead[] {
  return blocks.map(({ type, call, bytes, isError, isBlank }, at) => ({
    ordinal,
    block_order: at,
    block_type: type,
    tool_name: type === 'tool_use' ? 'Bash' : null,
    tool_use_id: type === 'tool_use' ? call : null,
    tool_result_id: type === 'tool_result' ? call : null,
    is_error: isError,
    text_bytes: bytes,
    input_bytes: bytes,
    head: isBlank ? ' ' : 'text',
    has_image: isError,
  }));
}

const AGENT = { agent_type: null, agent_name: null, team_name: null, model: null, status: null, cost_nanos: null };
const FIGURES = { toolCalls: 0, toolErrors: 0, linesAdded: 0, linesRemoved: 0, filesWritten: 0, activeMs: null };

function partsOf({ turns, left, agents, callOfAgent, status, commits }: Moment): OutlineParts {
  const [current, ...others] = left;
  return {
    turns: turns.map((id, at) => ({
      id,
      ordinal: at,
      agent_id: at === 3 ? 'a0' : null,
      origin: 'human',
      parent_turn_id: turns[at - 1] ?? null,
      duration_ms: at,
      stats: { ...FIGURES, startedAt: timeOf(at) },
    })),
    prompts: turns.map((id) => ({ message_id: id, text: `prompt ${id}` })),
    branches: current === undefined ? [] : [{ ordinal: 0, turn_ids: [current, ...others], current_turn_id: current }],
    compactions: [
      { ...COMPACTION, ordinal: left.length, trigger_name: null, pre_tokens: 1, post_tokens: 0, duration_ms: null },
    ],
    agents: agents.map((agent_id) => ({
      ...AGENT,
      agent_id,
      spawning_tool_use_id: callOfAgent,
      description: callOfAgent,
      stats: { messages: left.length, tool_calls: 0, wall_ms: null },
      last_line: null,
      session_id: null,
    })),
    calls: Object.entries(status).map(([id, each]) => ({ id, status: each })),
    commits: commits.map(({ call, at }) => ({ sha: 'x', message: 'Fix', tool_use_id: call, timestamp: timeOf(at) })),
  };
}

const COMPACTION = { id: 'x', agent_id: 'a0', kind: 'full' };

function outlineOf(messages: readonly Message[], revision: string, parts: OutlineParts) {
  const builder = createOutline();
  builder.add(messages.map(headOf), messages.flatMap(blocksOf));
  return builder.finish(revision, parts);
}

describe('a growing outline', () => {
  it('is the same as one that is read from the start, on the server and on the page', () => {
    fc.assert(
      fc.property(fc.array(moment, { minLength: 1, maxLength: 6 }), (moments) => {
        const builder = createOutline();
        let messages: readonly Message[] = [];
        let before = outlineOf([], 'start', partsOf({ ...NOTHING, same: 0 }));
        for (const [at, now] of moments.entries()) {
          const from = Math.min(now.same, messages.length);
          messages = [...messages.slice(0, from), ...now.added];
          builder.cut(from);
          const added = messages.map((each, ordinal) => [each, ordinal] as const).slice(from);
          builder.add(
            added.map(([each, ordinal]) => headOf(each, ordinal)),
            added.flatMap(([each, ordinal]) => blocksOf(each, ordinal)),
          );
          const parts = partsOf(now);
          const grown = builder.finish(String(at), parts);
          expect(grown).toEqual(outlineOf(messages, String(at), parts));
          expect(growOutline(before, outlineSince(before, grown))).toEqual(grown);
          before = grown;
        }
      }),
      { numRuns: 300 },
    );
  });

  const NOTHING: Moment = {
    same: 0,
    added: [],
    turns: [],
    left: [],
    agents: [],
    callOfAgent: null,
    status: {},
    commits: [],
  };
  const answer: Message = {
    origin: 'model',
    turn: 't0',
    agent: null,
    cost: 5,
    isInherited: false,
    blocks: [{ type: 'tool_use', call: 'c0', bytes: 10, isError: false, isBlank: false }],
  };
  const result: Message = {
    ...answer,
    origin: 'tool_result',
    cost: null,
    blocks: [{ type: 'tool_result', call: 'c0', bytes: 7, isError: true, isBlank: false }],
  };

  it('sends only what is new and what has changed', () => {
    const parts = partsOf({ ...NOTHING, turns: ['t0'] });
    const many = Array.from({ length: 50 }, (): Message => ({ ...answer, blocks: [TEXT] }));
    const before = outlineOf([answer, ...many], '1', parts);
    const now = outlineOf([answer, ...many, result, { ...answer, blocks: [TEXT] }], '2', parts);
    const sent = outlineSince(before, now);
    expect(sent.since).toMatchObject({ revision: '1', items: { kept: 51, changed: [0] }, turns: { changed: [0] } });
    expect(sent.items).toMatchObject({ ordinal: [0, 52], result: [51, -1], size: [17, 4] });
    expect(growOutline(before, sent)).toEqual(now);
  });

  const TEXT = { type: 'text', call: null, bytes: 4, isError: false, isBlank: false } as const;

  it('is read as a whole if most of it is new, or if the page has another one', () => {
    const parts = partsOf(NOTHING);
    const short = outlineOf([answer], '1', parts);
    const long = outlineOf([answer, answer, answer, answer], '2', parts);
    expect(outlineSince(short, long)).toBe(long);
    const sent = outlineSince(long, outlineOf([answer, answer, answer, answer, answer], '3', parts));
    expect(sent.since?.revision).toBe('2');
    expect(growOutline(short, sent)).toBeNull();
    expect(growOutline(null, sent)).toBeNull();
    expect(growOutline(null, long)).toBe(long);
  });
});
