import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scaled } from '../../../test/support/sizes.ts';
import { PRICE_BOOK } from '../price/book.ts';
import { withOverrides } from '../price/overrides.ts';
import { assistant, MAIN, readerOf } from '../testing/scan-text.ts';
import { heldMessages } from './api-messages.ts';
import { FileScanner } from './scan-files.ts';
import { AGENT, ASIDE, ECHO, FAST, INHERITED, keyOf, type RowColumns, type UsageRow, UsageRows } from './usage-rows.ts';
import { usageTotals as totalsOf, type UsageTotals } from './usage-totals.ts';

const AUGUST = Date.parse('2026-08-15T12:00:00.000Z');
const MINUTE = 60_000;

function row(given: Partial<UsageRow> = {}): UsageRow {
  const file = given.file ?? 0;
  const ids = { file, id: 'm1', requestId: 'r1', sessionId: `s${file}`, order: file * 2 ** 32 };
  const about = { model: 'claude-opus-4-6', timeMs: AUGUST, startMs: AUGUST, marks: 0 };
  const tokens = { input: 1, output: 10, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, webSearches: 0 };
  return { ...ids, ...about, ...tokens, ...given };
}

/** In two parts, as from two threads. */
function usageTotals(rows: readonly UsageRow[], book = PRICE_BOOK): UsageTotals {
  const cut = rows.length >> 1;
  return totalsOf([columnsOf(rows.slice(0, cut)), columnsOf(rows.slice(cut))], book);
}

function columnsOf(rows: readonly UsageRow[]): RowColumns {
  const collected = new UsageRows();
  let file = -1;
  for (const each of rows) {
    if (each.file !== file) collected.startFile({ index: each.file, sessionId: '', role: 'main' });
    file = each.file;
    collected.add(keyOf(each.id, each.requestId), each.sessionId, each);
  }
  return collected.columns;
}

const outputs = (...rows: UsageRow[]) => [usageTotals(rows).sum.messages, usageTotals(rows).sum.output];

describe('an API message', () => {
  test('is counted once, from the record with the largest output', () => {
    expect(outputs(row({ output: 2 }), row({ file: 1, output: 9 }), row({ file: 2, output: 5 }))).toEqual([1, 9]);
  });

  test('has the time at which it started, in any file', () => {
    const early = { timeMs: AUGUST - 86_400_000, output: 1 };
    for (const rows of [
      [row(early), row()],
      [row(), row({ ...early, file: 1 })],
    ])
      expect(usageTotals(rows).totals).toMatchObject([{ day: '2026-08-14', output: 10 }]);
  });

  test('is the same one without a request id', () => {
    expect(outputs(row({ requestId: null, output: 12 }), row())).toEqual([1, 12]);
    expect(outputs(row({ requestId: null }), row({ requestId: null, file: 1 }))).toEqual([1, 10]);
  });

  test('is several messages under several request ids', () => {
    expect(outputs(row(), row({ requestId: 'r2', output: 5 }))).toEqual([2, 15]);
    expect(outputs(row(), row({ requestId: 'r2', output: 5 }), row({ requestId: null, output: 7 }))).toEqual([2, 15]);
  });

  test('is counted once if a side question replays it under its own request', () => {
    const aside = { file: 1, sessionId: 's0', requestId: 'r2', marks: AGENT | ASIDE, output: 99 };
    expect(outputs(row(), row(aside))).toEqual([1, 10]);
    expect(outputs(row(aside))).toEqual([1, 99]);
  });

  test('of a sub-agent is counted once if another thread replays it', () => {
    const own = { file: 4, marks: AGENT };
    expect(outputs(row(own), row({ file: 2, requestId: 'r2', marks: AGENT | ASIDE, output: 99 }))).toEqual([1, 10]);
    expect(outputs(row(own), row({ file: 5, requestId: 'r2', marks: AGENT }))).toEqual([1, 10]);
    expect(outputs(row(own), row({ ...own, requestId: 'r2' }))).toEqual([2, 20]);
  });

  test('in progress lines counts if it is recorded nowhere else', () => {
    const echo = { marks: AGENT | ECHO, output: 3 };
    expect(outputs(row(echo))).toEqual([1, 3]);
    expect(outputs(row(echo), row({ ...echo, requestId: null, output: 4 }))).toEqual([1, 4]);
    expect(outputs(row(echo), row({ ...echo, requestId: 'r2' }))).toEqual([2, 6]);
  });

  test('in progress lines is not counted in addition to its record', () => {
    const echo = { marks: AGENT | ECHO };
    const own = { file: 1, marks: AGENT };
    expect(outputs(row({ ...echo, output: 3 }), row(own))).toEqual([1, 10]);
    expect(outputs(row({ ...echo, requestId: null }), row(own))).toEqual([1, 10]);
    expect(outputs(row({ ...echo, requestId: 'r9' }), row(own))).toEqual([1, 10]);
  });
});

describe('totals', () => {
  test('are grouped by day, model, session, and main or sub-agent', () => {
    const { totals } = usageTotals([
      row({ id: 'a' }),
      row({ id: 'b', timeMs: AUGUST + 86_400_000 }),
      row({ id: 'c', model: 'claude-opus-5-5' }),
      row({ id: 'd', sessionId: 'other' }),
      row({ id: 'e', marks: AGENT }),
      row({ id: 'f' }),
    ]);
    expect(
      totals.map(({ day, model, sessionId, isAgent, messages }) => [day, model, sessionId, isAgent, messages]),
    ).toEqual([
      ['2026-08-15', 'claude-opus-4-6', 's0', false, 2],
      ['2026-08-16', 'claude-opus-4-6', 's0', false, 1],
      ['2026-08-15', 'claude-opus-5-5', 's0', false, 1],
      ['2026-08-15', 'claude-opus-4-6', 'other', false, 1],
      ['2026-08-15', 'claude-opus-4-6', 's0', true, 1],
    ]);
  });

  test('are priced by message', () => {
    const rows = [row({ id: 'a' }), row({ id: 'b', marks: FAST }), row({ id: 'c', webSearches: 2 })];
    expect(usageTotals(rows).sum.costNanos).toBe(255_000 + 6 * 255_000 + 255_000 + 20_000_000);
  });

  test('use the long-context rate only for messages that are long themselves', () => {
    const haiku = (id: string, input: number) => row({ id, model: 'claude-haiku-5-5', input, output: 1 });
    const { sum } = usageTotals([haiku('a', 80_000), haiku('b', 80_000), haiku('c', 150_000)]);
    expect(sum.costNanos).toBe(2 * (80_000 * 100 + 500) + 150_000 * 500 + 2_500);
  });

  test('use the rate of the day; without a time, the newest rate', () => {
    const priced = (day: string) =>
      usageTotals([row({ model: 'claude-sonnet-5', input: 1, output: 0, timeMs: day === '' ? -1 : Date.parse(day) })]);
    expect(priced('2026-08-31').sum.costNanos).toBe(2_000);
    expect(priced('2026-09-01').sum.costNanos).toBe(3_000);
    expect(priced('').sum.costNanos).toBe(2_000);
    expect(priced('').totals[0]?.day).toBe('');
  });

  test('of a model without a price are included in the counts but not in the cost', () => {
    const found = usageTotals([row({ id: 'a', model: 'llama' }), row({ id: 'b' })]);
    expect(found.unknownModels).toEqual(['llama']);
    expect(found.sum).toMatchObject({ messages: 2, output: 20, costNanos: 255_000, unpricedMessages: 1 });
    const book = withOverrides(PRICE_BOOK, { prices: [{ models: ['llama'], usdPerMillion: { input: 0, output: 1 } }] });
    expect(usageTotals([row({ model: 'llama' })], book).sum).toMatchObject({ costNanos: 10_000, unpricedMessages: 0 });
  });
});

/** Two sessions that contain m1; the first continues after a minute, the second after an hour. */
function fork(marks = 0): UsageRow[] {
  const later = (ms: number, given: Partial<UsageRow>) =>
    row({ ...given, timeMs: AUGUST + ms, order: (given.file ?? 0) * 2 ** 32 + 1 });
  return [
    row({ file: 1, marks }),
    row({ file: 2 }),
    later(MINUTE, { file: 1, id: 'own1' }),
    later(60 * MINUTE, { file: 2, id: 'own2' }),
  ];
}

const sessionsOf = (rows: readonly UsageRow[]) =>
  Object.fromEntries(
    [...Map.groupBy(usageTotals(rows).totals, (total) => total.sessionId)].map(([id, own]) => [
      id,
      own.reduce((sum, { messages }) => sum + messages, 0),
    ]),
  );

describe('a message that several sessions contain', () => {
  test('belongs to the session that continued soonest', () => {
    expect(sessionsOf(fork())).toEqual({ s1: 2, s2: 1 });
  });

  test('does not belong to a session whose lines state that they are inherited', () => {
    expect(sessionsOf(fork(INHERITED))).toEqual({ s1: 1, s2: 2 });
  });

  test('belongs to the sub-agent that wrote it, not to a session that repeats a progress line', () => {
    const rows = [
      row({ file: 1, marks: AGENT, sessionId: 'origin' }),
      row({ file: 2, marks: AGENT | ECHO, sessionId: 'copy' }),
    ];
    expect(sessionsOf(rows)).toEqual({ origin: 1 });
  });
});

const anyRow = fc
  .record({
    file: fc.nat(4),
    id: fc.constantFrom('m1', 'm2', 'm3'),
    requestId: fc.constantFrom('r1', 'r2', null),
    sessionId: fc.constantFrom('s1', 's2', 's3'),
    marks: fc.constantFrom(0, 0, AGENT, AGENT | ECHO, AGENT | ASIDE, INHERITED),
    output: fc.nat(5),
    timeMs: fc.nat(3).map((minutes) => AUGUST + minutes * MINUTE),
  })
  .map((given) => row(given));

describe('for any rows', () => {
  test('neither the order of the files nor their distribution over threads changes the result', () => {
    const anyFiles = fc
      .array(anyRow, { maxLength: 12 })
      .map((rows) => [...Map.groupBy(rows, ({ file }) => file).values()])
      .chain((files) =>
        fc.tuple(fc.constant(files), fc.shuffledSubarray(files, { minLength: files.length }), fc.nat(5)),
      );
    const sorted = (...parts: UsageRow[][][]) =>
      totalsOf(parts.map((files) => columnsOf(files.flat()))).totals.toSorted((a, b) =>
        JSON.stringify(a) < JSON.stringify(b) ? -1 : 1,
      );
    fc.assert(
      fc.property(anyFiles, ([files, others, cut]) => {
        expect(sorted(others.slice(0, cut), others.slice(cut))).toEqual(sorted(files));
      }),
      { numRuns: scaled(60) },
    );
  });
});

test('a message is matched by its id, and by its request if both have one', () => {
  const parts = ['msg_1', 'msg_2'].map((id, index) => {
    const scanner = new FileScanner();
    const requestId = index === 0 ? 'req_1' : undefined;
    scanner.scan({ ...MAIN, index }, readerOf(Buffer.from(assistant({ requestId }, { id }))));
    return scanner.columns;
  });
  const isHeld = heldMessages(parts);
  expect(isHeld('msg_1', 'req_1')).toBe(true);
  expect(isHeld('msg_1', null)).toBe(true);
  expect(isHeld('msg_1', 'req_2')).toBe(false);
  expect(isHeld('msg_2', 'req_9')).toBe(true);
  expect(isHeld('msg_3', null)).toBe(false);
});
