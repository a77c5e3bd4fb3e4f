import {
  type Arbitrary,
  array,
  check,
  constantFrom,
  defaultReportMessage,
  integer,
  oneof,
  property,
  shuffledSubarray,
  tuple,
} from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { JsonObject } from '../../../domain/transcript.ts';
import { createDrift } from '../../drift/drift.ts';
import { parseBytes } from '../../testing/parse-text.ts';
import { FLAT_DATA_KEYS, FLAT_LINE_KEYS, FLAT_TYPES } from './flat-keys.ts';
import { type CondensedParse, parseCondensed } from './parse-condensed.ts';

/** Progress lines that are read without JSON.parse, against the same lines parsed. */

const RUNS = 1_500;
const MUTANT_RUNS = 3_000;
const PAD = 'x'.repeat(200);

const uuid = (number: number) => `00000000-0000-4000-a000-${String(number).padStart(12, '0')}`;
const writtenUuid = oneof(
  integer({ min: 1, max: 6 }).map((number) => `"${uuid(number)}"`),
  constantFrom('null', '""', '"odd"', '7'),
);
const text = constantFrom(
  '"main"',
  '"a"',
  '""',
  '"ü"',
  '"\\u0061"',
  `"${'long'.repeat(40)}"`,
  '"a\\nb"',
  'null',
  '[]',
  '"\t"',
);
const flag = constantFrom('false', 'false', 'true', 'null', 'falsy', '"true"');
const number = constantFrom('0', '12', '1.5', '01', '1.', '.5', '-1', '1e5', '1E400', '"1"', 'null', '1.25');
const dataType = constantFrom('"bash_progress"', '"hook_progress"', '"agent_progress"', '"new_progress"', 'null');

/** Every member in its right form nearly always: a line with three odd ones tells no more than a line with one. */
const usually = <T>(right: T, odd: Arbitrary<T>) =>
  oneof({ weight: 12, arbitrary: constantFrom(right) }, { weight: 1, arbitrary: odd });

const data = tuple(
  usually('"hook_progress"', dataType),
  usually(`"${PAD}"`, text),
  usually('1.5', number),
  constantFrom('hook', 'hook', 'bash', 'bash', 'both', 'strange'),
).map(([type, said, count, keys]) => {
  const bash = `"output":${said},"fullOutput":${said},"elapsedTimeSeconds":${count},"totalLines":3`;
  const hook = `"hookEvent":"Stop","hookName":"h","command":${said}`;
  const rightType = keys === 'bash' && type === '"hook_progress"' ? '"bash_progress"' : type;
  const members = { hook, bash, both: `${bash},${hook}`, strange: `${hook},"unheard_of":${count}` }[keys];
  return `{"type":${rightType},${members}}`;
});

const members = tuple(
  usually(`"${uuid(1)}"`, writtenUuid),
  usually(`"${uuid(2)}"`, writtenUuid),
  constantFrom('"main"', '"main"', '"other"', '""'),
  usually('"2.1.20"', text),
  usually('false', flag),
  data,
  usually(
    '',
    constantFrom(',"slug":"s"', ',"agentId":"a1"', ',"entrypoint":"cli"', ',"teamName":"t"', ',"uuid":"twice"'),
  ),
  integer({ min: 0, max: 9 }),
).map(([own, parent, branch, version, isSidechain, inner, more, second]) => [
  `"uuid":${own}`,
  `"parentUuid":${parent}`,
  `"gitBranch":${branch}`,
  `"version":${version}`,
  `"isSidechain":${isSidechain}`,
  `"data":${inner}${more}`,
  `"timestamp":"2026-01-01T00:00:0${second}.000Z"`,
  '"type":"progress"',
  '"cwd":"/home/dev"',
  '"sessionId":"00000000-0000-4000-8000-000000000001"',
  '"userType":"external","toolUseID":"t1","parentToolUseID":"t1"',
]);

const line = tuple(
  members,
  usually(true, constantFrom(false)),
  usually(',', constantFrom(', ', ',,')),
  usually('', constantFrom(' ', '}')),
).chain(([all, isWhole, comma, end]) =>
  shuffledSubarray(all, { minLength: isWhole ? all.length : all.length - 1 }).map(
    (some) => `{${some.join(comma)}}${end}`,
  ),
);

const lines = tuple(
  array(line, { minLength: 1, maxLength: 5 }),
  array(tuple(integer({ min: 0 }), integer({ min: 0, max: 255 })), { maxLength: 1 }),
).map(([all, hits]) => {
  const bytes = Buffer.from(`${all.join('\n')}\n`);
  for (const [at, byte] of hits) bytes[at % bytes.length] = byte;
  return bytes;
});

function outcomeOf(bytes: Buffer, condense: CondensedParse | null): unknown {
  const drift = createDrift();
  const parsed = parseBytes(bytes, { condense, see: drift.see });
  return { ...parsed, drift: drift.report() };
}

const sameRows = (condense: CondensedParse) =>
  property(lines, (bytes) => {
    expect(outcomeOf(bytes, condense)).toEqual(outcomeOf(bytes, null));
  });

const changing =
  (change: (record: JsonObject) => JsonObject): CondensedParse =>
  (bytes, start, end) => {
    const record = parseCondensed(bytes, start, end);
    return record === null ? null : change(record);
  };

describe('a flat line gives the rows of the parsed line', () => {
  test('however it is written, and whatever happened to it', () => {
    expect(defaultReportMessage(check(sameRows(parseCondensed), { numRuns: RUNS })) ?? null).toBeNull();
  });

  const mutants: readonly (readonly [string, CondensedParse])[] = [
    ['gives the version of the first line', changing((record) => ({ ...record, version: '2.1.20' }))],
    ['forgets the parent', changing((record) => ({ ...record, parentUuid: null }))],
    ['takes every data for known', changing((record) => ({ ...record, data: { type: 'hook_progress' } }))],
    ['takes no line for a side chain', changing(({ isSidechain: _, ...record }) => record)],
  ];
  it.each(mutants)('bites: %s', (_name, condense) => {
    expect(check(sameRows(condense), { numRuns: MUTANT_RUNS, seed: 5 }).failed).toBe(true);
  });
});

describe('flat keys', () => {
  const value = (types: number) => {
    if ((types & FLAT_TYPES.text) !== 0) return 'text';
    return (types & FLAT_TYPES.number) === 0 ? false : 1;
  };
  const filled = (keys: Readonly<Record<string, number>>, fill: (types: number) => unknown): object =>
    Object.fromEntries(Object.entries(keys).map(([key, types]) => [key, fill(types)]));
  const lineTypes = Object.fromEntries(Object.entries(FLAT_LINE_KEYS).map(([key, { types }]) => [key, types]));
  const nullWhereAllowed = (types: number) => ((types & FLAT_TYPES.null) === 0 ? value(types) : null);

  test.each(Object.entries(FLAT_DATA_KEYS))('of %s are all known to the drift report', (type, keys) => {
    const drift = createDrift();
    for (const fill of [value, nullWhereAllowed]) {
      const record = { ...filled(lineTypes, fill), type: 'progress', data: { type, ...filled(keys, fill) } };
      drift.see(record, null);
    }
    // The values are made up; only the keys are looked at.
    expect(drift.report().entries.filter(({ kind }) => kind !== 'value')).toEqual([]);
  });

  test('a line of them is read without its long texts', () => {
    const record = {
      ...filled(lineTypes, value),
      type: 'progress',
      data: { type: 'hook_progress', hookEvent: 'Stop', command: PAD },
    };
    const bytes = Buffer.from(JSON.stringify(record));
    expect(parseCondensed(bytes, 0, bytes.length)?.['data']).toEqual({ type: 'hook_progress' });
  });
});
