import { describe, expect, test } from 'vitest';
import type { BlockRow, MessageRow } from '../../api/answers/transcript.ts';
import { agentKey, buildRows, findRow } from './rows.ts';

const CLOSED: ReadonlySet<string> = new Set();

function block(fields: Partial<BlockRow>): BlockRow {
  return {
    id: 'b',
    block_order: 0,
    block_type: 'text',
    content_text: null,
    thinking_text: null,
    tool_name: null,
    tool_use_id: null,
    tool_input: null,
    tool_result_id: null,
    is_error: null,
    call_status: null,
    call_denial: null,
    result_text: null,
    metadata: {},
    ...fields,
  };
}

let next = 0;

function message(fields: Partial<MessageRow>, ...blocks: Partial<BlockRow>[]): MessageRow {
  next += 1;
  return {
    id: `m${next}`,
    ordinal: next,
    line_number: next,
    agent_id: null,
    message_type: 'assistant',
    subtype: null,
    role: 'assistant',
    origin: 'model',
    uuid: null,
    parent_uuid: null,
    model: 'claude-opus-5-5',
    tokens_in: null,
    tokens_out: null,
    cache_read: null,
    cache_write: null,
    cost_usd: null,
    compact_sequence: 0,
    is_compacted: false,
    is_inherited: false,
    is_meta: false,
    timestamp: null,
    has_text: false,
    has_thinking: false,
    has_tool_use: false,
    has_tool_result: false,
    cc_version: null,
    entrypoint: null,
    user_type: null,
    team_name: null,
    permission_mode: null,
    stop_reason: null,
    service_tier: null,
    speed: null,
    inference_geo: null,
    iterations: null,
    web_searches: null,
    web_fetches: null,
    thinking_tokens: null,
    cache_miss_reason: null,
    cache_missed_tokens: null,
    metadata: {},
    content_blocks: blocks.map((each, block_order) => block({ block_order, ...each })),
    ...fields,
  };
}

const kinds = (messages: readonly MessageRow[], open = CLOSED) => buildRows(messages, open).map((row) => row.kind);
const call = (id: string): Partial<BlockRow> => ({ block_type: 'tool_use', tool_name: 'Bash', tool_use_id: id });
const answerTo = (id: string, text = 'ok') =>
  message({ origin: 'tool_result' }, { block_type: 'tool_result', tool_result_id: id, result_text: text });

describe('buildRows', () => {
  test('a message of the model becomes a row for each block; empty text is none', () => {
    const rows = kinds([
      message({}, { block_type: 'thinking' }, { content_text: 'a' }, { content_text: '  ' }, call('t')),
    ]);
    expect(rows).toEqual(['thinking', 'text', 'tool']);
  });

  test('a result stands in the row of its call, wherever it comes', () => {
    const rows = buildRows(
      [message({}, call('t1'), call('t2')), answerTo('t2', 'second'), answerTo('t1', 'first')],
      CLOSED,
    );
    expect(rows.map((row) => row.kind === 'tool' && row.result?.result_text)).toEqual(['first', 'second']);
  });

  test('of several results for one call the last counts', () => {
    const rows = buildRows([message({}, call('t')), answerTo('t', 'cut off'), answerTo('t', 'real')], CLOSED);
    expect(rows.map((row) => row.kind === 'tool' && row.result?.result_text)).toEqual(['real']);
  });

  test('a result without a call is shown', () => {
    expect(kinds([answerTo('nobody')])).toEqual(['orphan']);
  });

  test('runs of injected messages are one row, meta prompts among them', () => {
    const rows = buildRows(
      [
        message({ origin: 'context' }),
        message({ origin: 'meta' }),
        message({ origin: 'human', is_meta: true }),
        message({ origin: 'human' }),
      ],
      CLOSED,
    );
    expect(rows.map((row) => row.kind)).toEqual(['context', 'prompt']);
    expect(rows[0]?.ordinals).toHaveLength(3);
  });

  test('retries of the API are one row, with the last attempt', () => {
    const retry = (attempt: number) =>
      message({ origin: 'system', subtype: 'api_error', metadata: { retryAttempt: attempt } });
    const rows = buildRows([retry(1), retry(2), retry(3)], CLOSED);
    expect(rows.map((row) => row.message.metadata['retryAttempt'])).toEqual([3]);
  });

  test('an origin that we do not know is context, also when it is a name of Object', () => {
    expect(kinds([message({ origin: 'constructor' }), message({ origin: '__proto__' })])).toEqual(['context']);
  });

  test('the byline comes once a turn and when the model changes', () => {
    const rows = buildRows(
      [
        message({ origin: 'human' }),
        message({}, { content_text: 'a' }),
        message({}, { content_text: 'b' }),
        message({ model: 'other' }, { content_text: 'c' }),
      ],
      CLOSED,
    );
    expect(rows.map((row) => row.kind === 'text' && row.hasByline)).toEqual([false, true, false, true]);
  });
});

describe('sub-agents', () => {
  const agent = (text: string) => message({ agent_id: 'a1b2c3d4' }, { content_text: text });
  const conversation = () => [
    message({}, call('t')),
    answerTo('t', 'Done.\nagentId: a1b2c3d4 (internal)'),
    agent('inside'),
  ];

  test('stand below the call whose result names them, when opened', () => {
    const messages = conversation();
    expect(kinds(messages)).toEqual(['tool']);
    const [row] = buildRows(messages, CLOSED);
    const open = new Set([agentKey(row?.key ?? '')]);
    expect(buildRows(messages, open).map(({ kind, depth }) => [kind, depth])).toEqual([
      ['tool', 0],
      ['text', 1],
    ]);
  });

  test('have a heading of their own where no call names them', () => {
    const messages = [message({ origin: 'human' }), agent('inside'), agent('more')];
    const rows = buildRows(messages, CLOSED);
    expect(rows.map((row) => row.kind)).toEqual(['prompt', 'agent']);
    expect(kinds(messages, new Set([rows[1]?.key ?? '']))).toEqual(['prompt', 'agent', 'text', 'text']);
  });

  test('that name themselves do not loop', () => {
    const self = message({ agent_id: 'a1b2c3d4' }, call('t'));
    const result = { ...answerTo('t', 'agentId: a1b2c3d4'), agent_id: 'a1b2c3d4' };
    expect(kinds([self, result])).toEqual(['agent']);
  });

  test('are found from an ordinal: the closed call first, the message itself when open', () => {
    const messages = conversation();
    const inside = messages[2]?.ordinal ?? -1;
    const closed = buildRows(messages, CLOSED);
    expect(findRow(closed, inside)).toBe(0);
    expect(findRow(buildRows(messages, new Set([agentKey(closed[0]?.key ?? '')])), inside)).toBe(1);
    expect(findRow(closed, 99_999)).toBe(-1);
  });
});
