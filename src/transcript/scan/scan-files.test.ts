import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scaled } from '../../../test/support/sizes.ts';
import { assistant, MAIN, PLAIN, readerOf, rowsOf, scan, slowly, TIME, USAGE } from '../testing/scan-text.ts';
import { FileScanner, scanFileOf } from './scan-files.ts';

const S1 = '0f3c1f9e-8d0e-4d7e-9f5a-0a1b2c3d4e5f';

test.each([
  [`-home-dev/${S1}.jsonl`, null, 'main'],
  [`-home-dev/${S1}/subagents/agent-a1b2c3d.jsonl`, 'a1b2c3d', 'agent'],
  [`-home-dev/${S1}/subagents/agent-aside_question-1234.jsonl`, 'x', 'aside'],
  ['agent-side_question-1234.jsonl', 'x', 'aside'],
  ['-home-dev/agent-side_question-of-mine.jsonl', null, 'main'],
])('%s', (path, agentId, role) => {
  expect(scanFileOf({ path, agentId, sessionId: S1 }, 3)).toEqual({ index: 3, role, sessionId: S1 });
});

const anyUsage = fc.record(
  {
    input_tokens: fc.nat(),
    output_tokens: fc.nat(),
    cache_read_input_tokens: fc.nat(),
    cache_creation_input_tokens: fc.nat(),
    cache_creation: fc.record({ ephemeral_5m_input_tokens: fc.nat(), ephemeral_1h_input_tokens: fc.nat() }),
    server_tool_use: fc.record({ web_search_requests: fc.nat(9), web_fetch_requests: fc.nat(9) }),
    service_tier: fc.constantFrom('standard', 'batch', null),
    speed: fc.constantFrom('standard', 'fast', null),
    inference_geo: fc.constantFrom('not_available', 'us', '', null),
    iterations: fc.jsonValue(),
  },
  { requiredKeys: [] },
);
const anyMessage = fc.record(
  {
    id: fc.constantFrom('msg_1', 'msg_2', '', 'msg_ü'),
    model: fc.constantFrom('claude-opus-4-6', 'gpt', '<synthetic>'),
    usage: fc.oneof({ weight: 9, arbitrary: anyUsage }, { weight: 1, arbitrary: fc.jsonValue() }),
    content: fc.jsonValue(),
    role: fc.constant('assistant'),
  },
  { requiredKeys: ['usage'] },
);
const anyLine = fc.record(
  {
    type: fc.constantFrom('assistant', 'assistant', 'user', 'progress'),
    message: anyMessage,
    requestId: fc.constantFrom('req_1', 'req_2', null),
    timestamp: fc.constantFrom(TIME, '2026-01-21T20:53:25.000Z', 'never', 7),
    sessionId: fc.constantFrom('s1', 's2'),
    session_id: fc.constantFrom('s1', 's2'),
    requestSessionId: fc.constantFrom('s1', 's2', null, 7),
    isSidechain: fc.boolean(),
    isApiErrorMessage: fc.constantFrom(true, false, null),
    forkedFrom: fc.constantFrom(null, {}, 'x'),
    toolUseResult: fc.jsonValue(),
    data: fc.record(
      {
        type: fc.constantFrom('agent_progress', 'agent_progress', 'x'),
        message: fc.record({ type: fc.constant('assistant'), message: anyMessage }, { requiredKeys: ['type'] }),
      },
      { requiredKeys: ['type'] },
    ),
  },
  { requiredKeys: ['type'] },
);

/** The same object with its keys in another order, on every level that the scan reads. */
function shuffled(value: unknown, turn: number): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const keys = Object.keys(value);
  const order = keys.map((_, index) => (index * 7 + turn) % Math.max(1, keys.length));
  const sorted = keys.toSorted((a, b) => (order[keys.indexOf(a)] ?? 0) - (order[keys.indexOf(b)] ?? 0));
  return Object.fromEntries(sorted.map((key) => [key, shuffled((value as Record<string, unknown>)[key], turn)]));
}

describe('for any lines', () => {
  test('both paths agree, in any key order', () => {
    fc.assert(
      fc.property(fc.array(anyLine, { maxLength: 6 }), fc.nat(20), (lines, turn) => {
        const text = lines.map((line) => `${JSON.stringify(shuffled(line, turn))}\n`).join('');
        expect(scan(text).rows).toEqual(slowly(text).rows);
      }),
      { numRuns: scaled(60) },
    );
  });
});

describe('chunks', () => {
  test('any chunking gives the same result', () => {
    const lines = [
      assistant(),
      assistant({ isSidechain: true }, { id: 'msg_2', content: 'x'.repeat(700) }),
      assistant({ timestamp: 'soon' }, { id: 'msg_ü' }),
      '{"type":"user"}\n\n',
      `${assistant().trim()}${assistant({}, { id: 'msg_3' })}`,
      assistant({}, { id: 'msg_4' }).trim(),
    ];
    const text = lines.join('');
    const { rows } = scan(text);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 8 }), (sizes) => {
        const scanner = new FileScanner();
        expect(scanner.scan(MAIN, readerOf(Buffer.from(text), sizes)).bytes).toBe(Buffer.byteLength(text));
        expect(rowsOf(scanner)).toEqual(rows);
      }),
      { numRuns: scaled(30) },
    );
  });
});

describe('long lines', () => {
  const message = { content: 'x'.repeat(5_000_000), id: 'long', model: PLAIN.model, usage: USAGE };
  const long = assistant({ message });
  const around = `${assistant({}, { id: 'before' })}${long}${assistant({}, { id: 'after' })}`;

  test('are kept whole', () => {
    expect(scan(around).rows.map(({ id }) => id)).toEqual(['before', 'long', 'after']);
    expect(scan(around).slowLines).toBe(0);
    expect(slowly(around).rows.map(({ id }) => id)).toEqual(['before', 'long', 'after']);
  });

  test.each([
    ['in the middle', around, ['before', 'after'], 1],
    ['at the end', `${assistant({}, { id: 'before' })}${long.trim()}`, ['before'], 1],
    ['one after the other', `${long}${long}${assistant({}, { id: 'after' })}`, ['after'], 2],
  ])('over the limit are skipped and counted: %s', (_, text, ids, count) => {
    const scanner = new FileScanner();
    const { oversizeLines, bytes } = scanner.scan(MAIN, readerOf(Buffer.from(text)), 2_000_000);
    expect(rowsOf(scanner).map(({ id }) => id)).toEqual(ids);
    expect(oversizeLines).toBe(count);
    expect(scanner.counts).toEqual({ usageLines: ids.length, slowLines: 0, unreadableLines: 0 });
    expect(bytes).toBe(Buffer.byteLength(text));
  });
});
