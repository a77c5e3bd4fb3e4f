import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  count,
  FIRST_BYTE,
  flag,
  hashOf,
  type KeyTable,
  type LineEngine,
  object,
  PlainEngine,
  place,
  slotPlaces,
  text,
  time,
  word,
} from '../line-engine.ts';
import { hasWasm } from './emit.ts';
import { SimdEngine } from './simd-engine.ts';

const INNER: KeyTable = {
  x: object('x'),
  cache_creation_input_tokens: object('long'),
  cache_read_input_tokens: object('longer'),
};
const KEYS: KeyTable = {
  a: object('a'),
  type: object('type'),
  message: place('message', INNER),
  exactly16__bytes: object('exact'),
  b: place('b', { c: place('c', { d: object('d') }) }),
};
const PLACES = slotPlaces(KEYS);

/** Bytes after the input must not matter: a key, a newline, the end of an object. */
const RUBBISH = Buffer.from('"usage":1}\n{"a":1}"usage"\n');

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

const expectedLines = (text: string) => text.split('\n').filter((line) => line.includes('"usage"'));

describe.each([
  ['with SIMD', () => new SimdEngine(KEYS, 1_000)],
  ['without', () => new PlainEngine(1_000)],
])('lines with usage are found %s', (_, create) => {
  const engine = create();

  test.each([
    '',
    '\n',
    '"usage"',
    '"usage',
    'x\n"usage"\ny',
    '\n\n"usage"',
    '"usage""usage"\n',
    '\\"usage\\"\n"usage"\n',
    `${'a'.repeat(40)}\n${'b'.repeat(40)}"usage"${'c'.repeat(40)}\n"usage"`,
    '"output_token_"\n"output-tokens"\n"outpvt_tokens"\n',
  ])('%j', (text) => {
    expect(usageLines(engine, text)).toEqual(expectedLines(text));
  });

  test('in any position', () => {
    const piece = fc.oneof(
      fc.constant('"usage"'),
      fc.constant('\n'),
      fc.constantFrom('"usa', 'age"', '"', 'g', '"ggg"ggg"g', '\\"usage\\"'),
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

  test('the memory content is kept when the memory grows', () => {
    fill(engine, 'abc');
    engine.grow(engine.sizeBytes + 1_000_000);
    expect(engine.bytes.toString('latin1', FIRST_BYTE, FIRST_BYTE + 3)).toBe('abc');
    expect(engine.sizeBytes).toBeGreaterThan(1_000_000);
  });
});

describe.runIf(hasWasm())('records', () => {
  const engine = new SimdEngine(KEYS, 1_000);

  /** The parsed values of a record by slot; null if the engine gives up. */
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

  /** The expected result of `read`: requested values, except objects that have a table of their own. */
  function expected(record: Record<string, unknown>, table: KeyTable = KEYS): Record<string, unknown> {
    return Object.assign(
      {},
      ...Object.entries(table).map(([key, wanted]) => {
        if (!Object.hasOwn(record, key)) return {};
        const value = record[key];
        const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
        if (wanted.table === undefined || !isObject) return { [wanted.slot]: value };
        return expected(value as Record<string, unknown>, wanted.table);
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
    '{"a":"x\u0000"}',
    '{"z":"x\u0000"}',
    '{"z":["x\u001f"]}',
    '{"z":1,\u0000"a":1}',
    '{"z\u0000":1}',
    '{"a":1 "z":1}',
    '{"a":1,,"z":1}',
    '{,"a":1}',
    '{"a":1,}',
    '{"message":{"x":1,}}',
    '{"message":{"x":1}"a":1}',
    '{"z":"\\x"}',
    '{"z":"\\u00g0"}',
    '{"z":tru}',
    '{"z":nullx}',
    '{"z":01}',
    '{"z":1.}',
    '{"z":-}',
    '{"z":1e}',
    '{"z":+1}',
    '{"z":[1 2]}',
    '{"z":[1,]}',
    '{"z":[,1]}',
    '{"z":{"y"}}',
    '{"z":{"y":}}',
    '{"z":{"y":1,}}',
    '{"z":{"y" "x"}}',
    '{"z":{y:1}}',
    '{"z":[{]}}',
    '{"z":{"y":[}]}',
    '{"z":[1:2]}',
    '{"z":["a":1]}',
    '{"z":x}',
    '{"z":}',
  ])('%j is left to the slow path', (text) => {
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

  test('any record gives the same values as JSON.parse, with any spacing', () => {
    fc.assert(
      fc.property(anyRecord, fc.constantFrom(undefined, 1), (record, indent) => {
        const text = JSON.stringify(record, null, indent).replaceAll('\n', ' ');
        expect(read(text)).toEqual(expected(JSON.parse(text) as Record<string, unknown>));
      }),
      { numRuns: 1_000 },
    );
  });

  test('whatever JSON.parse rejects is left to the slow path: records with damaged bytes', () => {
    const damage = fc.record({
      at: fc.nat(),
      removed: fc.integer({ min: 0, max: 3 }),
      inserted: fc.oneof(
        fc.constantFrom('', '\u0000', '"', '\\', '{', '}', '[', ']', ',', ':', ' ', '-', '.', '0', '1e', 'u12', '\t'),
        fc.string({ maxLength: 3 }),
      ),
    });
    fc.assert(
      fc.property(anyRecord, fc.array(damage, { minLength: 1, maxLength: 3 }), (record, damages) => {
        let text = JSON.stringify(record);
        for (const { at, removed, inserted } of damages) {
          const start = at % (text.length + 1);
          text = text.slice(0, start) + inserted + text.slice(start + removed);
        }
        const to = fill(engine, text);
        const end = engine.readRecord(FIRST_BYTE, to);
        // The scanner itself checks that only blanks follow.
        if (end !== 0)
          expect(() => JSON.parse(engine.bytes.toString('utf8', FIRST_BYTE, end)) as unknown).not.toThrow();
      }),
      { numRuns: 20_000 },
    );
  });

  test('no prefix of a record is accepted as a whole one, whatever bytes follow', () => {
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

describe.runIf(hasWasm())('values', () => {
  const keys: KeyTable = {
    count: count('count'),
    flag: flag('flag'),
    object: object('object'),
    word: word('word', 'assistant', 'us', 'agent_progress'),
    time: time('time'),
    text: text('text'),
    other: text('other'),
  };
  const places = slotPlaces(keys);
  const engine = new SimdEngine(keys, 1_000);

  /** The two numbers of each value by slot; null if the engine gives up. */
  function read(record: object | string): Record<string, readonly number[]> | null {
    const bytes = typeof record === 'string' ? record : JSON.stringify(record);
    expect(engine.readRecord(FIRST_BYTE, fill(engine, bytes))).not.toBe(0);
    if (!engine.readValues()) return null;
    return Object.fromEntries(
      Object.entries(places).map(([slot, at]) => [slot, [...engine.values.subarray(at, at + 2)]]),
    );
  }

  const firstOf = (record: object | string, slot: string) => read(record)?.[slot]?.[0];

  test.each([0, 7, 10, 123_456, 999_999_999, null])('a count of %j', (value) => {
    expect(firstOf({ count: value }, 'count')).toBe(value ?? 0);
  });

  test.each(['-1', '1.5', '1e3', '"1"', '1234567890', '[]', 'true'])('%s is not a usual count', (value) => {
    expect(read(`{"count":${value}}`)).toBe(null);
  });

  test('flags and objects', () => {
    expect([true, false, null, 'true', 1].map((value) => firstOf({ flag: value }, 'flag'))).toEqual([1, 0, 0, 0, 0]);
    expect([{}, { a: 1 }, [], null, 'x'].map((value) => firstOf({ object: value }, 'object'))).toEqual([1, 1, 0, 0, 0]);
  });

  test.each([
    ['assistant', 1],
    ['us', 2],
    ['agent_progress', 3],
    ['assistan', 0],
    ['assistants', 0],
    ['', 0],
    [null, 0],
    [7, 0],
  ])('the word %j is number %i', (value, number) => {
    expect(firstOf({ word: value }, 'word')).toBe(number);
  });

  test.each(['"assist\\u0061nt"', '"assistant\\n"', '"üs"'])('the word %s is not usual', (value) => {
    expect(read(`{"word":${value}}`)).toBe(null);
  });

  test('times in the form of the client are parsed as by Date', () => {
    const anyDate = fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(anyDate, (date) => {
        const [days = -1, millis = -1] = read({ time: date.toISOString() })?.['time'] ?? [];
        expect(days * 86_400_000 + millis).toBe(date.getTime());
      }),
    );
  });

  test.each(['2024-02-29T23:59:59.999Z', '2000-03-01T00:00:00.000Z', '2100-02-28T12:00:00.000Z'])('%s', (value) => {
    const [days = -1, millis = -1] = read({ time: value })?.['time'] ?? [];
    expect(days * 86_400_000 + millis).toBe(Date.parse(value));
  });

  test.each([
    '',
    '2026-01-21',
    '2026-01-21T20:53:24Z',
    '2026-01-21T20:53:24.199+',
    ...Array.from(
      '2026-01-21T20:53:24.199Z',
      (_, at) => `${'2026-01-21T20:53:24.199Z'.slice(0, at)}x${'2026-01-21T20:53:24.199Z'.slice(at + 1)}`,
    ),
    null,
    7,
  ])('%j is not a usual time', (value) => {
    expect(read({ time: value })).toBe(null);
  });

  test('a text is compared with the previous one', () => {
    const texts = [
      'msg_1',
      'msg_1',
      'msg_2',
      'msg_',
      undefined,
      undefined,
      'msg_',
      'x'.repeat(40),
      `${'x'.repeat(39)}y`,
    ];
    const same = texts.map((value) => firstOf({ text: value, other: 'always' }, 'text'));
    expect(same).toEqual([2, 1, 2, 2, 2, 1, 2, 2, 2]);
  });

  test('each text has a hash, even if it is unchanged', () => {
    for (const value of ['msg_1', 'msg_1', 'a', 'x'.repeat(112)]) {
      expect(read({ text: value })?.['text']?.[1]).toBe(hashOf(Buffer.from(value)));
    }
  });

  test.each(['', 'ü', 'a\n', 'x'.repeat(113), 7, null, {}])(
    '%j is not a usual text, and the previous one is kept',
    (value) => {
      read({ text: 'kept', other: 'kept' });
      expect(read({ other: 'new', text: value })).toBe(null);
      expect(read({ text: 'kept', other: 'kept' })).toMatchObject({
        text: [1, expect.anything()],
        other: [1, expect.anything()],
      });
    },
  );

  test('any text is compared correctly in any position', () => {
    const anyText = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(anyText, anyText, fc.nat(20), (first, second, gap) => {
        read({ text: first });
        const again = firstOf({ gap: 'x'.repeat(gap), text: second }, 'text');
        expect(again).toBe(first === second ? 1 : 2);
      }),
      { numRuns: 500 },
    );
  });
});

test('a key that is too long is rejected, and so are too many keys', () => {
  expect(() => new SimdEngine({ ['k'.repeat(33)]: object('k') }, 10)).toThrow(RangeError);
  const many = Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`k${n}`, object(`s${n}`)]));
  expect(() => new SimdEngine(many, 10)).toThrow(RangeError);
});
