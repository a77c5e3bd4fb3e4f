import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FileScanner } from './file-scanner.ts';
import { PlainEngine } from './simd/plain-engine.ts';
import {
  AGENT,
  ASIDE,
  BATCH,
  ECHO,
  FAST,
  INHERITED,
  rowCount,
  rowReader,
  type ScanFile,
  US_ONLY,
  type UsageRow,
} from './usage-rows.ts';

const MAIN: ScanFile = { index: 0, sessionId: 'from-path', role: 'main' };
const TIME = '2026-01-21T20:53:24.199Z';

/** Gives out the bytes in pieces of the sizes given, over and over. */
function readerOf(bytes: Buffer, sizes: readonly number[] = [Number.POSITIVE_INFINITY]) {
  let at = 0;
  let turn = 0;
  return (target: Uint8Array): number => {
    const size = Math.min(sizes[turn++ % sizes.length] ?? 1, target.length, bytes.length - at);
    target.set(bytes.subarray(at, at + size));
    at += size;
    return size;
  };
}

interface Found {
  readonly rows: readonly UsageRow[];
  readonly slowLines: number;
  readonly unreadableLines: number;
}

function scan(text: string, file: ScanFile = MAIN, scanner = new FileScanner()): Found {
  scanner.scan(file, readerOf(Buffer.from(text)));
  return { rows: rowsOf(scanner), ...scanner.counts };
}

function rowsOf({ columns }: FileScanner): UsageRow[] {
  return Array.from({ length: rowCount(columns) }, (_, index) => rowReader(columns)(index));
}

function slowly(text: string, file: ScanFile = MAIN): Found {
  return scan(text, file, new FileScanner(new PlainEngine(1_000_000)));
}

const USAGE = { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 3, cache_creation_input_tokens: 4 };

function assistant(record: object = {}, message: object = {}, usage: object = {}): string {
  const inner = { id: 'msg_1', model: 'claude-opus-4-6', usage: { ...USAGE, ...usage }, ...message };
  const line = { type: 'assistant', requestId: 'req_1', sessionId: 's1', timestamp: TIME, message: inner, ...record };
  return `${JSON.stringify(line)}\n`;
}

const PLAIN = {
  file: 0,
  id: 'msg_1',
  requestId: 'req_1',
  sessionId: 's1',
  order: 0,
  model: 'claude-opus-4-6',
  timeMs: Date.parse(TIME),
  marks: 0,
  input: 1,
  output: 2,
  cacheRead: 3,
  cacheWrite5m: 4,
  cacheWrite1h: 0,
  webSearches: 0,
};

/** Lines that the fast way understands; both ways must say the same. */
const USUAL: Record<string, readonly [string, object | null]> = {
  'an assistant line': [assistant(), PLAIN],
  'a side chain': [assistant({ isSidechain: true }), { ...PLAIN, marks: AGENT }],
  'no request': [assistant({ requestId: undefined }), { ...PLAIN, requestId: null }],
  'no time': [assistant({ timestamp: undefined }), { ...PLAIN, timeMs: -1 }],
  'cache writes of both tiers': [
    assistant({}, {}, { cache_creation: { ephemeral_5m_input_tokens: 1, ephemeral_1h_input_tokens: 3 } }),
    { ...PLAIN, cacheWrite5m: 1, cacheWrite1h: 3 },
  ],
  'tiers that say less than the total': [
    assistant({}, {}, { cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 1 } }),
    { ...PLAIN, cacheWrite5m: 3, cacheWrite1h: 1 },
  ],
  'tiers that say more than the total': [
    assistant({}, {}, { cache_creation: { ephemeral_5m_input_tokens: 9, ephemeral_1h_input_tokens: 9 } }),
    { ...PLAIN, cacheWrite5m: 0, cacheWrite1h: 4 },
  ],
  'tiers without a total': [
    assistant({}, {}, { cache_creation_input_tokens: undefined, cache_creation: { ephemeral_1h_input_tokens: 7 } }),
    { ...PLAIN, cacheWrite5m: 0, cacheWrite1h: 7 },
  ],
  'what changes the price': [
    assistant(
      {},
      {},
      { speed: 'fast', service_tier: 'batch', inference_geo: 'us', server_tool_use: { web_search_requests: 5 } },
    ),
    { ...PLAIN, marks: FAST | BATCH | US_ONLY, webSearches: 5 },
  ],
  'what does not': [
    assistant({}, {}, { speed: 'standard', service_tier: null, inference_geo: 'not_available', iterations: [USAGE] }),
    PLAIN,
  ],
  'counts of null': [assistant({}, {}, { cache_read_input_tokens: null }), { ...PLAIN, cacheRead: 0 }],
  'usage inside a tool input': [
    assistant(
      {},
      { content: [{ type: 'tool_use', input: { usage: { output_tokens: 7 }, id: null, type: 'progress' } }] },
    ),
    PLAIN,
  ],
  'usage before content': [
    assistant({ message: { usage: USAGE, content: ['}'], model: PLAIN.model, id: PLAIN.id } }),
    PLAIN,
  ],
  'a line of a fork': [
    assistant({ forkedFrom: { sessionId: 's0', messageUuid: 'u' } }),
    { ...PLAIN, marks: INHERITED },
  ],
  'a line of another process': [assistant({ session_id: 's0' }), { ...PLAIN, marks: INHERITED }],
  'a line of this process': [assistant({ session_id: 's1' }), PLAIN],
  'a message no model wrote': [assistant({}, { model: '<synthetic>' }), null],
  'an API error': [assistant({ isApiErrorMessage: true }), null],
  'isApiErrorMessage:false': [assistant({ isApiErrorMessage: false }), PLAIN],
  'a user line with usage in its result': [
    `${JSON.stringify({ type: 'user', message: { role: 'user' }, toolUseResult: { usage: USAGE } })}\n`,
    null,
  ],
  agent_progress: [
    `${JSON.stringify({ type: 'progress', sessionId: 's1', timestamp: '2020-01-01T00:00:00.000Z', data: { type: 'agent_progress', message: JSON.parse(assistant()) as object } })}\n`,
    { ...PLAIN, marks: AGENT | ECHO },
  ],
  'agent_progress of a user line': [
    `${JSON.stringify({ type: 'progress', sessionId: 's1', data: { type: 'agent_progress', message: { type: 'user', toolUseResult: { usage: USAGE } } } })}\n`,
    null,
  ],
  'another kind of progress': [
    `${JSON.stringify({ type: 'progress', sessionId: 's1', data: { type: 'hook_progress', message: JSON.parse(assistant()) as object } })}\n`,
    null,
  ],
  'a last line without newline': [assistant().trim(), PLAIN],
  'a line ended the DOS way': [assistant().replace('\n', '\r\n'), PLAIN],
  'spaces between all': [`${JSON.stringify(JSON.parse(assistant()), null, 1).replaceAll('\n', ' ')}\n`, PLAIN],
};

/** Lines that only JSON.parse or the salvage understands. */
const UNUSUAL: Record<string, readonly [string, readonly object[]]> = {
  'no session': [assistant({ sessionId: undefined }), [{ ...PLAIN, sessionId: 'from-path' }]],
  'a request of null': [assistant({ requestId: null }), [{ ...PLAIN, requestId: null }]],
  'no message id': [assistant({}, { id: undefined }), [{ ...PLAIN, id: 'req_1' }]],
  'nothing but a uuid': [
    assistant({ requestId: null, uuid: 'u1' }, { id: null }),
    [{ ...PLAIN, id: 'u1', requestId: null }],
  ],
  'no model': [assistant({}, { model: null }), [{ ...PLAIN, model: '' }]],
  'a time of another form': [
    assistant({ timestamp: '2026-01-21T20:53:24+00:00' }),
    [{ ...PLAIN, timeMs: Date.parse('2026-01-21T20:53:24Z') }],
  ],
  'a time that is none': [assistant({ timestamp: 'soon' }), [{ ...PLAIN, timeMs: -1 }]],
  'counts written oddly': [assistant().replace('"input_tokens":1,', '"input_tokens":1e0,'), [PLAIN]],
  'counts that are none': [
    assistant({}, {}, { input_tokens: -1, cache_read_input_tokens: '3' }),
    [{ ...PLAIN, input: 0, cacheRead: 0 }],
  ],
  'counts too long to be exact': [
    assistant().replace('"input_tokens":1,', '"input_tokens":12345678901234567890,'),
    [{ ...PLAIN, input: 0 }],
  ],
  'an escape in an id': [assistant().replace('msg_1', 'msg\\u005f1'), [PLAIN]],
  'an escape in a key': [assistant().replace('"type"', '"t\\u0079pe"'), [PLAIN]],
  'other letters in an id': [assistant({}, { id: 'msg_ü' }), [{ ...PLAIN, id: 'msg_ü' }]],
  'a key twice': [assistant().replace('"type":"assistant"', '"type":"user","type":"assistant"'), [PLAIN]],
  'a byte order mark': [`\uFEFF${assistant()}`, [PLAIN]],
  'two records on one line': [
    `${assistant().trim()}${assistant({}, { id: 'msg_2' })}`,
    [PLAIN, { ...PLAIN, id: 'msg_2', order: 1 }],
  ],
  'a user record before it on the line': [`{"type":"user","message":{}}${assistant()}`, [PLAIN]],
  'a torn record before it on the line': [`{"type":"user","mess${assistant()}`, [PLAIN]],
  'a record that was never finished': [`${assistant().slice(0, -30)}\n`, []],
};

describe('the fast way', () => {
  test.each(Object.entries(USUAL))('%s', (_, [line, row]) => {
    const found = scan(line);
    expect(found.rows).toEqual(row === null ? [] : [row]);
    expect(found.slowLines).toBe(0);
    expect(slowly(line).rows).toEqual(found.rows);
  });
});

describe('the slow way', () => {
  test.each(Object.entries(UNUSUAL))('%s', (_, [line, rows]) => {
    const found = scan(line);
    expect(found.rows).toEqual(rows);
    expect(found.slowLines).toBe(1);
    expect(found.unreadableLines).toBe(rows.length === 0 ? 1 : 0);
    expect(slowly(line).rows).toEqual(found.rows);
  });
});

describe('the lines of one message', () => {
  test('make one row: the line with the largest output, the later of two', () => {
    const late = '2026-01-22T00:00:00.000Z';
    const text = [
      assistant({ isSidechain: true }, {}, { output_tokens: 1 }),
      assistant({ timestamp: late }, {}, { output_tokens: 9, speed: 'fast' }),
      assistant({}, {}, { output_tokens: 9 }),
      assistant({}, {}, { output_tokens: 3 }),
    ].join('');
    expect(scan(text).rows).toEqual([{ ...PLAIN, output: 9, timeMs: Date.parse(late), marks: FAST }]);
  });

  test('the later line of two with the same output counts, whichever comes first', () => {
    const late = assistant({ timestamp: '2026-01-22T00:00:00.000Z' }, {}, { input_tokens: 0 });
    for (const text of [late + assistant(), assistant() + late]) {
      expect(scan(text).rows).toMatchObject([{ input: 0, timeMs: Date.parse('2026-01-22T00:00:00.000Z') }]);
    }
  });

  test('are of a sub-agent, and inherited, when all of them are', () => {
    const copied = assistant({ isSidechain: true, session_id: 's0' });
    expect(scan(copied + copied).rows).toMatchObject([{ marks: AGENT | INHERITED }]);
    expect(scan(copied + assistant()).rows).toMatchObject([{ marks: 0 }]);
    expect(scan(assistant() + copied).rows).toMatchObject([{ marks: 0 }]);
  });

  test('are told apart by id, by request and by who tells', () => {
    const text = [
      assistant(),
      assistant({ requestId: 'req_2' }),
      assistant({}, { id: 'msg_2' }),
      USUAL['agent_progress']?.[0],
      assistant(),
    ].join('');
    expect(scan(text).rows.map((row) => [row.id, row.requestId, row.marks])).toEqual([
      ['msg_1', 'req_1', 0],
      ['msg_1', 'req_2', 0],
      ['msg_2', 'req_1', 0],
      ['msg_1', 'req_1', AGENT | ECHO],
      ['msg_1', 'req_1', 0],
    ]);
  });

  test('do not run over into the next file', () => {
    const scanner = new FileScanner();
    scan(assistant(), MAIN, scanner);
    const { rows } = scan(assistant(), { index: 1, sessionId: 's1', role: 'aside' }, scanner);
    expect(rows.map((row) => [row.file, row.marks])).toEqual([
      [0, 0],
      [1, AGENT | ASIDE],
    ]);
    expect((rows[1]?.order ?? 0) > (rows[0]?.order ?? 0)).toBe(true);
  });
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
  { requiredKeys: ['output_tokens'] },
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

/** The same object with its keys in another order, on every level that the scan looks at. */
function shuffled(value: unknown, turn: number): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const keys = Object.keys(value);
  const order = keys.map((_, index) => (index * 7 + turn) % Math.max(1, keys.length));
  const sorted = keys.toSorted((a, b) => (order[keys.indexOf(a)] ?? 0) - (order[keys.indexOf(b)] ?? 0));
  return Object.fromEntries(sorted.map((key) => [key, shuffled((value as Record<string, unknown>)[key], turn)]));
}

describe('for any lines', () => {
  test('both ways say the same, whatever the order of the keys', () => {
    fc.assert(
      fc.property(fc.array(anyLine, { maxLength: 6 }), fc.nat(20), (lines, turn) => {
        const text = lines.map((line) => `${JSON.stringify(shuffled(line, turn))}\n`).join('');
        expect(scan(text).rows).toEqual(slowly(text).rows);
      }),
      { numRuns: 1_000 },
    );
  });

  test('any chunking gives the same', () => {
    const text = Object.values({ ...USUAL, ...UNUSUAL })
      .map(([line]) => (line.endsWith('\n') ? line : `${line}\n`))
      .join('{"type":"user"}\n\n');
    const { rows } = scan(text);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 8 }), (sizes) => {
        const scanner = new FileScanner();
        expect(scanner.scan(MAIN, readerOf(Buffer.from(text), sizes)).bytes).toBe(Buffer.byteLength(text));
        expect(rowsOf(scanner)).toEqual(rows);
      }),
      { numRuns: 100 },
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
  ])('over the limit pass by and are counted: %s', (_, text, ids, count) => {
    const scanner = new FileScanner();
    const { oversizeLines, bytes } = scanner.scan(MAIN, readerOf(Buffer.from(text)), 2_000_000);
    expect(rowsOf(scanner).map(({ id }) => id)).toEqual(ids);
    expect(oversizeLines).toBe(count);
    expect(scanner.counts).toEqual({ usageLines: ids.length, slowLines: 0, unreadableLines: 0 });
    expect(bytes).toBe(Buffer.byteLength(text));
  });
});
