import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type KeyTable, slotPlaces } from './key-table.ts';
import { FIRST_BYTE, type LineEngine } from './line-engine.ts';
import { PlainEngine } from './plain-engine.ts';
import { hasSimd, SimdEngine } from './simd-engine.ts';

const INNER: KeyTable<string> = { x: 'x', cache_creation_input_tokens: 'long', cache_read_input_tokens: 'longer' };
const KEYS: KeyTable<string> = {
  a: 'a',
  type: 'type',
  message: { slot: 'message', table: INNER },
  exactly16__bytes: 'exact',
  b: { slot: 'b', table: { c: { slot: 'c', table: { d: 'd' } } } },
};
const PLACES = slotPlaces(KEYS);

/** What stands behind the bytes must not matter: a key, a newline, the end of an object. */
const RUBBISH = Buffer.from('"output_tokens":1}\n{"a":1}"output_tokens"\n');

function fill(engine: LineEngine, text: string | Buffer, rubbish = RUBBISH): number {
  const bytes = Buffer.from(text);
  engine.grow(bytes.length + rubbish.length);
  bytes.copy(engine.bytes, FIRST_BYTE);
  rubbish.copy(engine.bytes, FIRST_BYTE + bytes.length);
  return FIRST_BYTE + bytes.length;
}

function usageLines(engine: LineEngine, text: string): string[] {
  const to = fill(engine, text);
  const found: string[] = [];
  for (let at = FIRST_BYTE; engine.findLine(at, to); at = engine.lineEnd + 1) {
    found.push(engine.bytes.toString('utf8', engine.lineStart, engine.lineEnd));
  }
  return found;
}

const expectedLines = (text: string) => text.split('\n').filter((line) => line.includes('"output_tokens"'));

describe.each([
  ['with SIMD', () => new SimdEngine(KEYS, 1_000)],
  ['without', () => new PlainEngine(1_000)],
])('lines with usage are found %s', (_, create) => {
  const engine = create();

  test.each([
    '',
    '\n',
    '"output_tokens"',
    '"output_tokens',
    'x\n"output_tokens"\ny',
    '\n\n"output_tokens"',
    '"output_tokens""output_tokens"\n',
    '\\"output_tokens\\"\n"output_tokens"\n',
    `${'a'.repeat(40)}\n${'b'.repeat(40)}"output_tokens"${'c'.repeat(40)}\n"output_tokens"`,
    '"output_token_"\n"output-tokens"\n"outpvt_tokens"\n',
  ])('%j', (text) => {
    expect(usageLines(engine, text)).toEqual(expectedLines(text));
  });

  test('wherever they stand', () => {
    const piece = fc.oneof(
      fc.constant('"output_tokens"'),
      fc.constant('\n'),
      fc.constantFrom('"output_', '_tokens"', '"', '_', '"______"______"', '\\"output_tokens\\"'),
      fc.string({ maxLength: 40 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join('');
        expect(usageLines(engine, text)).toEqual(expectedLines(text));
      }),
      { numRuns: 500 },
    );
  });

  test('an object in front of them is kept when the memory grows', () => {
    fill(engine, 'abc');
    engine.grow(engine.sizeBytes + 1_000_000);
    expect(engine.bytes.toString('latin1', FIRST_BYTE, FIRST_BYTE + 3)).toBe('abc');
    expect(engine.sizeBytes).toBeGreaterThan(1_000_000);
  });
});

describe.runIf(hasSimd())('records', () => {
  const engine = new SimdEngine(KEYS, 1_000);

  /** The values of a record by slot, parsed; null when the engine gives it up. */
  function read(text: string): Record<string, unknown> | null {
    const to = fill(engine, text);
    const end = engine.readRecord(FIRST_BYTE, to);
    if (end === 0) return null;
    expect(engine.bytes.toString('utf8', end, to).trim()).toBe('');
    return Object.fromEntries(
      Object.entries(PLACES).flatMap(([slot, place]) => {
        const [at = 0, stop = 0] = engine.slots.subarray(place, place + 2);
        return at === 0 || stop === 0 ? [] : [[slot, JSON.parse(engine.bytes.toString('utf8', at, stop))]];
      }),
    );
  }

  /** What `read` must say: wanted values that are not objects which the table goes into. */
  function expected(record: Record<string, unknown>, table: KeyTable<string> = KEYS): Record<string, unknown> {
    return Object.assign(
      {},
      ...Object.entries(table).map(([key, wanted]) => {
        if (!Object.hasOwn(record, key)) return {};
        const value = record[key];
        if (typeof wanted === 'string') return { [wanted]: value };
        const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
        return isObject ? expected(value as Record<string, unknown>, wanted.table) : { [wanted.slot]: value };
      }),
    ) as Record<string, unknown>;
  }

  test.each([
    ['{}', {}],
    ['{"a":1}', { a: 1 }],
    ['{ "a" : "x" , "type":null }', { a: 'x', type: null }],
    ['{"a":"\\"\\\\","type":"{"}', { a: '"\\', type: '{' }],
    ['{"z":{"a":[1,{"a":"}]"}]},"a":[2]}', { a: [2] }],
    ['{"message":{"x":true},"a":0}', { x: true, a: 0 }],
    ['{"message":"no object"}', { message: 'no object' }],
    ['{"message":[{"x":1}]}', { message: [{ x: 1 }] }],
    ['{"b":{"c":{"d":{"d":1}},"x":1}}', { d: { d: 1 } }],
    ['{"exactly16__bytes":1,"exactly16__bytesX":2,"exactly16__byteX":3}', { exact: 1 }],
    ['{"message":{"cache_creation_input_tokens":1,"cache_creation_XXput_tokens":2}}', { long: 1 }],
    ['{"message":{"cache_creXtion_input_tokens":1,"cache_read_input_tokens":2}}', { longer: 2 }],
    ['{"a":1}\r', { a: 1 }],
    [`{"${'k'.repeat(100)}":"${'v'.repeat(1_000)}","a":1}`, { a: 1 }],
  ])('%s', (text, values) => {
    expect(read(text)).toEqual(values);
  });

  test.each([
    '',
    '[]',
    ' {}',
    '{',
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":"x',
    '{"a":"x\\',
    '{"a":[1}',
    '{"message":{"x":1}',
    '{"message":{"x":1',
    '{a:1}',
    '{"a" 1}',
    '{"a":1,"a":2}',
    '{"\\u0061":1}',
    '{"message":{"x":1},"message":{}}',
    '{"a":1]',
  ])('%j is left to the slow way', (text) => {
    expect(read(text)).toBe(null);
  });

  const anyKey = fc.constantFrom(
    'a',
    'type',
    'message',
    'exactly16__bytes',
    'b',
    'c',
    'd',
    'x',
    'z',
    'cache_read_input_tokens',
    'ü',
  );
  const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(null, true, false, 0, -1.5e10, 12_345),
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      fc.constantFrom('"', '\\', '\\"', '{"a":1}', '}', ']', '\n'),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(anyKey, tie('value'), { maxKeys: 6 }),
    ),
  }));
  const anyRecord = fc.dictionary(anyKey, anyValue, { maxKeys: 8 });

  test('any record gives the values that JSON.parse gives, however it is spaced', () => {
    fc.assert(
      fc.property(anyRecord, fc.constantFrom(undefined, 1), (record, indent) => {
        const text = JSON.stringify(record, null, indent).replaceAll('\n', ' ');
        expect(read(text)).toEqual(expected(JSON.parse(text) as Record<string, unknown>));
      }),
      { numRuns: 1_000 },
    );
  });

  test('no beginning of a record passes for a whole one, whatever stands behind it', () => {
    const behind = Buffer.from('}]}"}}}\n');
    fc.assert(
      fc.property(anyRecord, (record) => {
        const bytes = Buffer.from(JSON.stringify(record));
        for (let cut = 0; cut < Math.min(bytes.length, 400); cut += 1) {
          expect(engine.readRecord(FIRST_BYTE, fill(engine, bytes.subarray(0, cut), behind))).toBe(0);
        }
      }),
      { numRuns: 200 },
    );
  });
});

test('a key too long for the comparison is refused', () => {
  expect(() => new SimdEngine({ ['k'.repeat(33)]: 'k' }, 10)).toThrow(RangeError);
  expect(
    () => new SimdEngine(Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`k${n}`, `s${n}`])), 10),
  ).toThrow(RangeError);
});
