import { serialize } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { growthOf, LINEAR } from '../../test/support/growth.ts';
import { createParser } from './parser.ts';
import {
  assistantLine,
  envelope,
  linesOf,
  parseBytes,
  parseFiles,
  parseLines,
  SESSION,
  text,
  timeAt,
  toolResult,
  toolUse,
  userLine,
  uuid,
} from './testing/parse-text.ts';

describe('D1 D2 D3 odd text', () => {
  it('D1 NUL characters are preserved in text, keys and ids', () => {
    const { blocks, session } = parseLines([
      userLine('a\0b', { uuid: 'bad\0id' }),
      assistantLine(toolUse('t\0', 'To\0ol', { 'k\0': 'v\0' })),
    ]);
    expect(blocks[0]).toMatchObject({ contentText: 'a\0b' });
    expect(blocks[1]).toMatchObject({ toolName: 'To\0ol', toolUseId: 't\0', toolInput: { 'k\0': 'v\0' } });
    expect(session.messages[0]?.id).toBe('main:0');
  });

  it('D2 lone surrogates do not throw and keep their positions', () => {
    const { blocks } = parseLines(['{"type":"user","uuid":"u","message":{"content":"a\\ud800b"}}']);
    expect(blocks[0]?.contentText).toBe('a\ud800b');
  });

  it('D3 invalid UTF-8 is shown with U+FFFD and reported; a real U+FFFD is not', () => {
    const line = linesOf([userLine('abc')]);
    const broken = Buffer.from(line);
    broken[broken.indexOf('abc')] = 0xff;
    const got = parseBytes(Buffer.concat([broken, linesOf([userLine('\uFFFD')])]));
    expect(got.blocks.map((block) => block.contentText)).toEqual(['\uFFFDbc', '\uFFFD']);
    expect(got.session.lines).toMatchObject({ records: 1, salvaged: 1 });
    expect(got.session.anomalies.get('invalid_utf8')).toBe(1);
  });
});

describe('D4 depth', () => {
  it('D4 a million levels are read without overflow; the structured column stays empty', () => {
    const deep = '['.repeat(1_000_000) + ']'.repeat(1_000_000);
    const line = JSON.stringify(assistantLine(toolUse('t1', 'mcp__x', { deep: '@' }))).replace('"@"', deep);
    const { session, blocks } = parseLines([line]);
    expect(session.lines.records).toBe(1);
    expect(session.anomalies.get('too_deep')).toBe(1);
    expect(blocks[0]).toMatchObject({ toolName: 'mcp__x', toolInput: null, metadata: { tooDeep: true } });
  });

  it('D4 depth in any kept field neither overflows nor prevents storing the state', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    const lines = [
      envelope('system', { subtype: 'compact_boundary', compactMetadata: '@' }),
      envelope('system', { subtype: 'stop_hook_summary', hookInfos: '@' }),
      userLine('x', { imagePasteIds: '@' }),
      assistantLine([{ type: 'fallback', from: '@' }]),
      envelope('attachment', { attachment: { type: 'file', filename: '@' } }),
      { type: 'cost-state', modelUsage: '@' },
      userLine(toolResult('t', 'x'), { toolUseResult: { gitOperation: '@', status: '@' } }),
    ];
    const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line).replaceAll('"@"', deep)}\n`).join(''));
    const parser = createParser(SESSION, [{ role: 'main', agentId: null, name: 'a' }], { block: () => undefined });
    parser.push(0, bytes);
    expect(serialize(parser.state).length).toBeGreaterThan(0);
    expect(JSON.stringify(parser.finish()).length).toBeLessThan(20_000);
    expect(parser.finish().anomalies.get('too_deep')).toBeGreaterThanOrEqual(5);
  });

  it('D4 a depth of 200 is still structured', () => {
    const nest = (levels: number): unknown => (levels === 0 ? 1 : { a: nest(levels - 1) });
    expect(parseLines([assistantLine(toolUse('t', 'x', nest(200) as object))]).blocks[0]?.toolInput).not.toBeNull();
    expect(parseLines([assistantLine(toolUse('t', 'x', nest(201) as object))]).blocks[0]?.toolInput).toBeNull();
  });
});

it('D5 names of Object.prototype are ordinary names', () => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'];
  const lines = names.flatMap((name) => [
    `{"type":"user","uuid":"${name}","parentUuid":"${name}","sessionId":"${name}","version":"${name}","message":{"content":"x"}}`,
    `{"type":"assistant","uuid":"a-${name}","message":{"id":"${name}","model":"${name}","content":[{"type":"tool_use","id":"${name}","name":"${name}","input":{"__proto__":{"polluted":1},"${name}":1}},{"type":{"toString":1,"valueOf":1}}]}}`,
    `{"type":"${name}","subtype":"${name}"}`,
    `{"type":"system","subtype":"${name}","uuid":"s-${name}","retryInMs":{"valueOf":1}}`,
    `{"type":"attachment","attachment":{"type":"${name}"}}`,
    `{"type":"system","subtype":"api_error","retryInMs":{"valueOf":1,"toString":2},"error":{"status":{}}}`,
  ]);
  const { session } = parseLines(lines);
  expect(session.toolCalls.map((call) => call.name)).toEqual(names);
  expect(session.facts.models).toEqual(names);
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
  expect(session.lines.total).toBe(lines.length);
});

describe('D6 numbers', () => {
  it.each([
    ['1e400', 0],
    ['-5', 0],
    ['1.5', 0],
    ['18446744073709551616', 0],
    ['"7"', 0],
    ['-0', 0],
    ['12.0', 12],
    // A count is limited to the maximum of a message.
    ['9007199254740991', 10_000_000],
    ['10000000', 10_000_000],
  ])('D6 output_tokens %s counts as %d', (raw, expected) => {
    const line = JSON.stringify(assistantLine(text('x'), { usage: { input_tokens: 1, output_tokens: '@' } }));
    const { session } = parseLines([line.replace('"@"', raw)]);
    const usage = session.messages[0]?.usage;
    expect(usage?.output).toBe(expected);
    expect(Object.is(usage?.output, -0)).toBe(false);
    expect(session.stats.tokensIn).toBe(1);
    const isOdd = expected === 0 && raw !== '-0';
    expect(session.anomalies.get('shape_error') ?? 0).toBe(isOdd ? 1 : 0);
    expect(session.anomalies.get('implausible_count') ?? 0).toBe(raw === '9007199254740991' ? 1 : 0);
  });
});

it('D7 100,000 blocks in one message and 100,000 keys are read in linear time', () => {
  const linesFor = (count: number) => {
    const blocks = Array.from({ length: count }, (_, at) => ({ type: 'text', text: `t${at}` }));
    const wide = Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]));
    return linesOf([assistantLine(blocks), { ...userLine('x'), ...wide }]);
  };
  expect(growthOf(5_000, linesFor, (bytes) => parseBytes(bytes))).toBeLessThan(LINEAR);
  const got = parseBytes(linesFor(100_000));
  expect(got.blocks).toHaveLength(100_001);
  expect(got.blocks.at(99_999)?.blockOrder).toBe(99_999);
});

it('D8 a text of many distinct words is emitted whole', () => {
  const words = Array.from({ length: 200_000 }, (_, at) => `w${at}`).join(' ');
  expect(parseLines([userLine(words)]).blocks[0]?.contentText).toBe(words);
});

describe('D9 ids', () => {
  it.each(['a/b', '../../etc', '%2f..', 'x'.repeat(3000), '\u202Eabc', '😀', 'a b'])(
    'D9 %j is not used as an id',
    (id) => {
      const { session } = parseLines([userLine('x', { uuid: id })]);
      expect(session.messages[0]?.id).toMatch(/^[A-Za-z0-9._:-]{1,128}$/);
      expect(session.messages[0]?.uuid).toBe(id);
    },
  );

  it('D9 an agent id from a file name is not used in position ids', () => {
    const { session } = parseFiles([{ bytes: linesOf([{ ...userLine('x'), uuid: undefined }]), agentId: '../x' }]);
    expect(session.messages[0]?.id).toBe('file0:0');
  });
});

it('D10 lines with an unknown type or none are kept and counted', () => {
  const { session } = parseLines([
    { type: 'brand-new', uuid: uuid(1), version: '9.9' },
    { type: 'brand-new', version: '9.9' },
    { type: 7 },
    { type: null },
    { type: ['user'] },
    {},
    'null',
    '[1]',
    '3',
    '"x"',
    userLine('x', { parentUuid: uuid(1) }),
  ]);
  expect(session.lines).toEqual({ total: 11, records: 7, salvaged: 0, skipped: 4 });
  expect(Object.fromEntries(session.anomalies)).toEqual({ unknown_type: 6, not_an_object: 4 });
});

it('D11 known types with wrong shapes give empty fields and shape errors and never throw', () => {
  const wrong: unknown[] = [7, 'x', null, true, [], [7], {}, { content: 7 }, [[]], [null], [{ type: 7 }]];
  const lines = wrong.flatMap((value) => [
    userLine(value),
    { ...userLine('x'), message: value, toolUseResult: value, uuid: value, parentUuid: value, timestamp: value },
    { ...assistantLine(text('x')), message: value },
    assistantLine(value, { usage: value }),
    assistantLine(text('x'), { usage: { cache_creation: value, server_tool_use: value, input_tokens: value } }),
    { ...assistantLine(toolUse('t', 'Bash')), requestId: value, version: value, sessionId: value, forkedFrom: value },
    envelope('system', { subtype: value, content: value, compactMetadata: value, error: value, durationMs: value }),
    envelope('system', { subtype: 'compact_boundary', compactMetadata: value, logicalParentUuid: value }),
    envelope('attachment', { attachment: value }),
    envelope('attachment', { attachment: { type: 'queued_command', prompt: value, origin: value } }),
    envelope('progress', { data: value }),
    envelope('progress', { data: { type: 'agent_progress', agentId: 'a1', message: value } }),
    { type: 'queue-operation', operation: value, content: value },
    { type: 'cost-state', modelUsage: value, totalCostUSD: value },
    { type: 'worktree-state', worktreeSession: value },
    { type: 'summary', summary: value, leafUuid: value },
    userLine(toolResult('t', value), { toolUseResult: { structuredPatch: value, file: value, gitOperation: value } }),
  ]);
  const { session } = parseLines(lines);
  expect(session.lines).toMatchObject({ total: lines.length, skipped: 0 });
  expect(session.anomalies.get('shape_error')).toBeGreaterThan(10);
});

it('D12 conflicting usage of one message: the line with the largest output counts, once', () => {
  const { session } = parseLines([
    assistantLine(text('a'), { output: 2 }),
    assistantLine(text('b'), { output: 90 }),
    assistantLine(text('c'), { output: 40 }),
  ]);
  expect(session.messages).toHaveLength(1);
  expect(session.stats).toMatchObject({ tokensOut: 90, tokensIn: 3, cacheReadTokens: 100, assistantMessages: 1 });
});

it('D13 incomplete calls, duplicate ids and results before uses: each block once, each anomaly reported', () => {
  const { session, blocks } = parseLines([
    userLine(toolResult('t1', 'early')),
    assistantLine(toolUse('t1', 'Bash', { command: 'x' }), { id: 'm1' }),
    assistantLine(toolUse('t2', 'Bash'), { id: 'm2' }),
    assistantLine(toolUse('t2', 'Read'), { id: 'm3' }),
    userLine(toolResult('t3', 'nobody asked')),
    userLine(toolResult('t2', 'one')),
    userLine(toolResult('t2', 'two')),
    assistantLine(toolUse('t4', 'Bash'), { id: 'm4' }),
  ]);
  expect(blocks).toHaveLength(8);
  expect(Object.fromEntries(session.anomalies)).toMatchObject({
    unpaired_tool_result: 1,
    unpaired_tool_use: 1,
    duplicate_tool_result: 1,
  });
  const status = session.toolCalls.map((call) => [call.id, call.name, call.status, call.resultCount]);
  expect(status).toEqual([
    ['t1', 'Bash', 'ok', 1],
    ['t2', 'Bash', 'ok', 2],
    ['t3', null, 'ok', 1],
    ['t4', 'Bash', 'pending', 0],
  ]);
});

it('D14 an image is described, its bytes stay in the raw line', () => {
  const data = 'PHN2Zz4='.repeat(100);
  const source = { type: 'base64', media_type: 'image/svg+xml', data };
  const { blocks } = parseLines([userLine([{ type: 'image', source }])]);
  expect(blocks[0]).toMatchObject({ blockType: 'image', contentText: null });
  expect(blocks[0]?.metadata).toEqual({ mediaType: 'image/svg+xml', bytes: data.length });
});

it('D15 the last value of a duplicate key is used', () => {
  const { blocks } = parseLines(['{"type":"system","type":"user","uuid":"u","message":{"content":"a","content":"b"}}']);
  expect(blocks.map((block) => block.contentText)).toEqual(['b']);
});

describe('D16 worst-case strings for our patterns', () => {
  it.each([
    ['<task-notification>', '<task-id>'],
    ['<teammate-message ', 'teammate_id="'],
    ['Implement the following plan:', '0'],
    ['<persisted-output>', 'Output too large (9'],
    ['', 'agentId: '],
    ['<system-reminder>', '</system-reminder><system-reminder>'],
    ['<command-name>', '<command-name>'],
    ['Exit code 1', '1'],
  ])('D16 %s…', (head, part) => {
    const linesFor = (chars: number) => {
      const worst = head + part.repeat(chars / part.length);
      return linesOf([
        userLine(worst),
        assistantLine(toolUse('t', 'Agent', { prompt: worst })),
        userLine(toolResult('t', worst, { is_error: true })),
      ]);
    };
    expect(growthOf(50_000, linesFor, (bytes) => parseBytes(bytes))).toBeLessThan(LINEAR);
  });
});

describe('C24 times', () => {
  it('C24 file order is kept; implausible times are counted but not used; no duration is negative', () => {
    const stamps = [
      timeAt(100),
      timeAt(50),
      '1970-01-01T00:00:00.000Z',
      'never',
      '2199-01-01T00:00:00.000Z',
      timeAt(90),
    ];
    const { session } = parseLines(stamps.map((timestamp, at) => userLine(`p${at}`, { timestamp })));
    const used = [timeAt(100), timeAt(50), null, null, null, timeAt(90)];
    expect(session.messages.map((message) => message.timestamp)).toEqual(used);
    expect(session.messages.map((message) => message.ordinal)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(session.anomalies.get('bad_timestamp')).toBe(3);
    // The earliest and the latest line, wherever they are.
    expect(session.facts).toMatchObject({ startedAt: timeAt(50), endedAt: timeAt(100) });
    expect(session.stats.durationMs).toBe(50_000);
    for (const turn of session.turns) expect(turn.durationMs ?? 0).toBeGreaterThanOrEqual(0);
  });
});
