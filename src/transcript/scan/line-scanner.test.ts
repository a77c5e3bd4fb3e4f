import { describe, expect, test } from 'vitest';
import { assistant, MAIN, PLAIN, scan, slowly, TIME, USAGE } from '../testing/scan-text.ts';
import { FileScanner } from './scan-files.ts';
import { AGENT, ASIDE, BATCH, ECHO, FAST, INHERITED, US_ONLY } from './usage-rows.ts';

/** Lines that the fast path understands; both paths must agree. */
const USUAL: Record<string, readonly [string, object | null]> = {
  'an assistant line': [assistant(), PLAIN],
  'a side chain': [assistant({ isSidechain: true }), { ...PLAIN, marks: AGENT }],
  'no request': [assistant({ requestId: undefined }), { ...PLAIN, requestId: null }],
  'no time': [assistant({ timestamp: undefined }), { ...PLAIN, timeMs: -1, startMs: -1 }],
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
  'tiers with a total of null': [
    assistant({}, {}, { cache_creation_input_tokens: null, cache_creation: { ephemeral_1h_input_tokens: 7 } }),
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
  'an answer that another session had asked for': [
    assistant({ requestSessionId: 's0' }),
    { ...PLAIN, marks: INHERITED },
  ],
  'an answer that this session had asked for': [assistant({ requestSessionId: 's1' }), PLAIN],
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
  'usage without output': [assistant({}, {}, { output_tokens: undefined }), { ...PLAIN, output: 0 }],
  'usage that is none': [assistant({}, { usage: null }), null],
  'a last line without newline': [assistant().trim(), PLAIN],
  'a line ended the DOS way': [assistant().replace('\n', '\r\n'), PLAIN],
  'spaces between all': [`${JSON.stringify(JSON.parse(assistant()), null, 1).replaceAll('\n', ' ')}\n`, PLAIN],
};

/** Lines that only JSON.parse or the salvage understands. */
const UNUSUAL: Record<string, readonly [string, readonly object[]]> = {
  'an answer that was paused and resumed': [
    assistant({}, { pausedResponses: [{ usage: { ...USAGE, server_tool_use: { web_search_requests: 2 } } }] }),
    [
      {
        ...PLAIN,
        input: 2 * PLAIN.input,
        output: 2 * PLAIN.output,
        cacheRead: 2 * PLAIN.cacheRead,
        cacheWrite5m: 2 * PLAIN.cacheWrite5m,
        webSearches: 2,
      },
    ],
  ],
  'no session': [assistant({ sessionId: undefined }), [{ ...PLAIN, sessionId: '' }]],
  'a request of null': [assistant({ requestId: null }), [{ ...PLAIN, requestId: null }]],
  'no message id': [assistant({}, { id: undefined }), [{ ...PLAIN, id: 'req_1' }]],
  'empty ids': [assistant({ requestId: '', uuid: 'u1' }, { id: '' }), [{ ...PLAIN, id: 'u1', requestId: null }]],
  'nothing but a uuid': [
    assistant({ requestId: null, uuid: 'u1' }, { id: null }),
    [{ ...PLAIN, id: 'u1', requestId: null }],
  ],
  'no model': [assistant({}, { model: null }), [{ ...PLAIN, model: '' }]],
  'a time of another form': [
    assistant({ timestamp: '2026-01-21T20:53:24+00:00' }),
    [{ ...PLAIN, timeMs: Date.parse('2026-01-21T20:53:24Z'), startMs: Date.parse('2026-01-21T20:53:24Z') }],
  ],
  'a day that no month has': [
    assistant({ timestamp: '2026-01-32T20:53:24.199Z' }),
    [{ ...PLAIN, timeMs: -1, startMs: -1 }],
  ],
  'an hour that no day has': [
    assistant({ timestamp: '2026-01-21T24:53:24.199Z' }),
    [{ ...PLAIN, timeMs: -1, startMs: -1 }],
  ],
  'a time that is none': [assistant({ timestamp: 'soon' }), [{ ...PLAIN, timeMs: -1, startMs: -1 }]],
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
  'NUL bytes inside a text': [assistant({ cwd: 'x\u0001y' }).replace('\\u0001', '\u0000'), []],
  'NUL bytes before it': [`\u0000\u0000${assistant()}`, [PLAIN]],
  'a value cut out of it': [assistant({ isMeta: false }).replace('false', ''), []],
  'a record that was never finished': [`${assistant().slice(0, -30)}\n`, []],
};

describe('the fast path', () => {
  test.each(Object.entries(USUAL))('%s', (_, [line, row]) => {
    const found = scan(line);
    expect(found.rows).toEqual(row === null ? [] : [row]);
    expect(found.slowLines).toBe(0);
    expect(slowly(line).rows).toEqual(found.rows);
  });
});

describe('the slow path', () => {
  test.each(Object.entries(UNUSUAL))('%s', (_, [line, rows]) => {
    const found = scan(line);
    expect(found.rows).toEqual(rows);
    expect(found.slowLines).toBe(1);
    expect(found.unreadableLines).toBe(rows.length === 0 ? 1 : 0);
    expect(slowly(line).rows).toEqual(found.rows);
  });
});

describe('a message in an unexpected place', () => {
  const message = { id: 'm', model: 'x', usage: USAGE };
  const common = { sessionId: 's1', requestId: 'req_1', timestamp: TIME };

  test.each([
    [
      'in the progress of an assistant line',
      { type: 'assistant', ...common, data: { message: { type: 'assistant', message } } },
    ],
    [
      'beside the progress',
      { type: 'progress', ...common, message, data: { type: 'agent_progress', message: { type: 'assistant' } } },
    ],
  ])('is not counted: %s', (_, record) => {
    expect(scan(`${JSON.stringify(record)}\n`).rows).toEqual([]);
  });
});

describe('the lines of one message', () => {
  test('become one row: the line with the largest output, or the later of two', () => {
    const late = '2026-01-22T00:00:00.000Z';
    const text = [
      assistant({ isSidechain: true }, {}, { output_tokens: 1 }),
      assistant({ timestamp: late }, {}, { output_tokens: 9, speed: 'fast' }),
      assistant({}, {}, { output_tokens: 9 }),
      assistant({}, {}, { output_tokens: 3 }),
    ].join('');
    expect(scan(text).rows).toEqual([{ ...PLAIN, output: 9, timeMs: Date.parse(late), marks: FAST }]);
  });

  test('use the more complete of two lines with the same output, in either order', () => {
    const late = assistant({ timestamp: '2026-01-22T00:00:00.000Z' }, {}, { input_tokens: 0 });
    for (const text of [late + assistant(), assistant() + late]) {
      expect(scan(text).rows).toMatchObject([{ input: PLAIN.input, timeMs: PLAIN.timeMs }]);
    }
  });

  test('belong to the session named in the path, otherwise to the one they name', () => {
    const named = { ...MAIN, sessionId: 'from-path' };
    expect(scan(assistant(), named).rows).toMatchObject([{ sessionId: 'from-path' }]);
    expect(scan(assistant({ sessionId: undefined }), named).rows).toMatchObject([{ sessionId: 'from-path' }]);
    expect(scan(assistant()).rows).toMatchObject([{ sessionId: 's1' }]);
  });

  test('are marked as sub-agent or inherited only if all of them are', () => {
    const copied = assistant({ isSidechain: true, session_id: 's0' });
    expect(scan(copied + copied).rows).toMatchObject([{ marks: AGENT | INHERITED }]);
    expect(scan(copied + assistant()).rows).toMatchObject([{ marks: 0 }]);
    expect(scan(assistant() + copied).rows).toMatchObject([{ marks: 0 }]);
  });

  test('have the model that one of them names', () => {
    const nameless = assistant({ timestamp: '2026-01-22T00:00:00.000Z' }, { model: null });
    for (const text of [nameless + assistant(), assistant() + nameless, `${assistant() + nameless}\n${nameless}`]) {
      expect(scan(text).rows).toMatchObject([{ model: PLAIN.model }]);
    }
  });

  test('are distinguished by id, request and source', () => {
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

  test('are distinguished by source even without a request', () => {
    const own = assistant({ requestId: undefined });
    const echo = `${JSON.stringify({ type: 'progress', sessionId: 's1', data: { type: 'agent_progress', message: JSON.parse(own) as object } })}\n`;
    expect(scan(own + echo + own).rows.map((row) => row.marks)).toEqual([0, AGENT | ECHO, 0]);
  });

  test('are separated by a slow line in between', () => {
    const slow = assistant({ timestamp: 'soon' }, { id: 'msg_2' }, { output_tokens: 1 });
    const { rows, slowLines } = scan(assistant() + slow + assistant());
    expect(slowLines).toBe(1);
    expect(rows.map(({ id, output }) => [id, output])).toEqual([
      ['msg_1', 2],
      ['msg_2', 1],
      ['msg_1', 2],
    ]);
  });

  test('are separate messages if they have no id', () => {
    const nobodys = assistant({ requestId: null }, { id: null });
    expect(new Set(scan(nobodys + nobodys).rows.map(({ id }) => id)).size).toBe(2);
  });

  test('are all kept when there are many', () => {
    const ids = Array.from({ length: 80_000 }, (_, index) => `msg_${index}_${'x'.repeat(60)}`);
    expect(scan(ids.map((id) => assistant({}, { id })).join('')).rows).toEqual(
      ids.map((id, order) => ({ ...PLAIN, id, order })),
    );
  });

  test('do not continue in the next file', () => {
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
