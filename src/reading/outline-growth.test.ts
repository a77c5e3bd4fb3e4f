import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { growOutline } from '../../test/support/grow-outline.ts';
import type { BlockHead, MessageHead, OutlineParts } from '../domain/outline.ts';
import { createOutline } from './outline.ts';
import { outlineSince } from './outline-growth.ts';
import { growIndex } from './rows/grow-index.ts';
import { indexOutline, type OutlineIndex } from './rows/outline-index.ts';
import { agentKey, waysKey } from './rows/row.ts';
import { createRowSource, createRowSources, NOTHING_REVEALED, type RowSource } from './rows/row-list.ts';

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
  /** How many of its messages are unchanged. */
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
  return builder.finish(revision, parts).outline;
}

/** An index without what depends on how it was built. */
function shapeOf({
  order,
  positions,
  starts,
  ends,
  limits,
  origin,
  growth,
  itemsRead,
  tree,
  columns,
  ...rest
}: OutlineIndex) {
  const groups = Array.from(starts, (start, group) => [...order.subarray(start, ends[group])]);
  const places = Array.from(starts, (start, group) => groups[group]?.map((_, at) => start + at));
  expect(groups.map((items) => items.map((item) => positions[item]))).toEqual(places);
  const { count, ...typed } = columns;
  return {
    ...rest,
    groups,
    columns: Object.entries(typed).map(([name, column]) => [name, [...column]]),
    roots: [-1, 0, 1, 2].map(tree.rootsOf),
    foldOf: [...tree.foldOf],
  };
}

/** With all folded rows unfolded. */
function rowsOf(source: RowSource) {
  const { index } = source;
  const toggled = new Set([0, 1, 2].map((agent) => agentKey(index, agent)).concat(waysKey(index, 0)));
  const list = source.rowsFor({ toggled, reveal: NOTHING_REVEALED });
  return Array.from({ length: list.count }, (_, at) => {
    const { from, to, ...row } = list.at(at);
    const isPlain = ['day', 'agent', 'ways', 'inherited'].includes(row.kind);
    return { ...row, shown: isPlain ? from : [...index.order.subarray(from, to)], turnAt: list.turnAt(at) };
  });
}

describe('a growing outline', () => {
  it('is the same as one that is read from the start, on the server and on the page', () => {
    fc.assert(
      fc.property(fc.array(moment, { minLength: 1, maxLength: 6 }), (moments) => {
        const builder = createOutline();
        let messages: readonly Message[] = [];
        let before = outlineOf([], 'start', partsOf({ ...NOTHING, same: 0 }));
        let index = indexOutline(before);
        const densities = ([1, 2, 3] as const).map((density) => ({ density, sourceFor: createRowSources() }));
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
          const { outline: grown, changed } = builder.finish(String(at), parts);
          expect(grown).toEqual(outlineOf(messages, String(at), parts));
          const kept = Math.min(before.items.ordinal.length, grown.items.ordinal.length);
          const sent = outlineSince(before, grown, changed === null ? undefined : { kept, changed });
          expect(sent).toEqual(outlineSince(before, grown));
          expect(growOutline(before, sent)).toEqual(grown);
          const fresh = indexOutline(grown);
          index = sent.since === null ? fresh : (growIndex(index, sent) as OutlineIndex);
          expect(shapeOf(index)).toEqual(shapeOf(fresh));
          for (const { density, sourceFor } of densities)
            expect(rowsOf(sourceFor(index, density))).toEqual(rowsOf(createRowSource(fresh, density)));
          // Its columns are extended in place from now on.
          before = structuredClone(grown);
        }
      }),
      { numRuns: 200 },
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

  it.each([10, 1_000])('reads only new rows, after %i messages', (count) => {
    const parts = partsOf({ ...NOTHING, turns: ['t0'] });
    const builder = createOutline();
    const append = (from: number, added: readonly Message[]) => {
      builder.cut(from);
      builder.add(
        added.map((each, at) => headOf(each, from + at)),
        added.flatMap((each, at) => blocksOf(each, from + at)),
      );
      return builder.finish(String(from), parts);
    };
    const text: Message = { ...answer, blocks: [TEXT] };
    const all = [answer, ...Array.from({ length: count - 1 }, () => text)];
    expect(append(0, all)).toMatchObject({ changed: null, read: count });
    expect(append(count, [text, text])).toMatchObject({ changed: [], read: 2 });
    // The result of the first call, and the last message once more.
    expect(append(count + 1, [text, result])).toMatchObject({ changed: [0], read: 2 });
    // An abandoned turn affects all of its items.
    const left = partsOf({ ...NOTHING, turns: ['t0'], left: ['t1', 't0'] });
    expect(builder.finish('left', left)).toMatchObject({ changed: null, read: count + 2 });
  });

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
