import {
  array,
  type Arbitrary,
  check,
  constantFrom,
  defaultReportMessage,
  integer,
  letrec,
  oneof,
  property,
  string,
  tuple,
} from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { createDrift } from '../../drift/drift.ts';
import { fixtureLines, LINE_FIXTURES } from '../../testing/schema-lines.ts';
import { linesOf, type Parsed, parseBytes } from '../../testing/parse-text.ts';
import { type CondensedParse, createCondensedParse, parseCondensed } from './parse-condensed.ts';
import { TEXT_RULES, type TextRule } from './rules.ts';

/** The short way against JSON.parse of the whole line: rows, blocks, account of the lines and drift must not differ. */

const RUNS = 800;
/** Broken rules run on a fixed seed: whether one is caught must not depend on luck. */
const MUTANT_RUNS = 2_000;

/** A JSON string as text, in one of the many ways that it can be written. */
const units = constantFrom(
  'a',
  '\n',
  '"',
  '\\',
  '/',
  'é',
  '→',
  '😀',
  '\u2028',
  '\u0002',
  '\u001b',
  '\ud83d',
  '\0',
  '-',
);
const said = array(oneof(units, string({ unit: 'binary', maxLength: 3 })), { maxLength: 12 }).map((all) =>
  all.join(''),
);
const written = tuple(said, constantFrom(0, 0, 1, 7, 40, 90), constantFrom('plain', 'ascii', 'bare')).map(
  ([text, copies, form]) => {
    const long = JSON.stringify(text + `${text}0123456789`.repeat(copies));
    if (form === 'plain') return long;
    if (form === 'ascii')
      return long.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
    return JSON.stringify(`x${'0123456789'.repeat(copies)}`);
  },
);
const escapedKey = (key: string) => `\\u${key.charCodeAt(0).toString(16).padStart(4, '0')}${key.slice(1)}`;
const keys = constantFrom(
  ...new Set(TEXT_RULES.flatMap((rule) => [rule.below, ...rule.keys])),
  'type',
  'input',
  'source',
  'file',
  'filePath',
  'agentId',
  'id',
  'tool_use_id',
  '__proto__',
  'constructor',
  '\\"',
);
const writtenKey = tuple(keys, constantFrom(false, false, false, true)).map(([key, isEscaped]) =>
  isEscaped ? escapedKey(key) : key,
);
const blockTypes = [
  'text',
  'thinking',
  'tool_use',
  'tool_result',
  'image',
  'fallback',
  'queued_command',
  'agent_progress',
];

/** Values of any kind under keys that the rules know: also twice, out of order, with blanks between. */
const { object, value } = letrec<{ value: string; object: string }>((tie) => ({
  value: oneof(
    { maxDepth: 4 },
    written,
    constantFrom('0', '-1.5e3', 'true', 'null', '""', '{}', '[]'),
    tie('object'),
    array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
  ),
  object: tuple(
    array(tuple(writtenKey, tie('value')), { maxLength: 4 }),
    constantFrom('', ...blockTypes.map((type) => `"type":"${type}"`)),
    constantFrom(',', ',', ' , '),
  ).map(([members, type, comma]) => {
    const all = [...members.map(([key, inner]) => `"${key}":${inner}`), ...(type === '' ? [] : [type])];
    return `{${all.join(comma)}}`;
  }),
}));

const block = tuple(constantFrom(...blockTypes), array(tuple(writtenKey, value), { maxLength: 3 }), written).map(
  ([type, members, text]) => {
    const own = { text: 'text', thinking: 'thinking', tool_result: 'content', fallback: 'signature' }[type] ?? 'input';
    const first = own === 'input' ? `"input":{"command":${text},"file_path":"/a"}` : `"${own}":${text}`;
    const rest = members.map(([key, inner]) => `,"${key}":${inner}`).join('');
    return `{"type":"${type}","id":"t1","tool_use_id":"t1","name":"Bash",${first}${rest}}`;
  },
);

const line: Arbitrary<string> = tuple(
  constantFrom('user', 'assistant', 'attachment', 'progress', 'system', 'queue-operation', 'cost-state'),
  array(block, { maxLength: 3 }),
  oneof(
    object,
    tuple(written, written).map(([a, b]) => `{"stdout":${a},"filePath":${b},"file":{"content":${a}}}`),
  ),
  array(tuple(writtenKey, value), { maxLength: 3 }),
  tuple(written, constantFrom('hook_additional_context', 'queued_command', 'hook_success')),
  integer({ min: 0, max: 9 }),
).map(([type, blocks, result, others, [spoken, kind], at]) => {
  const members = [
    `"type":"${type}"`,
    `"uuid":"u${at}","timestamp":"2026-01-01T00:00:0${at}.000Z","version":"2.1.7${at}"`,
    `"message":{"id":"m${at}","model":"claude-opus-4-6","content":[${blocks.join(',')}]}`,
    `"toolUseResult":${result}`,
    `"attachment":{"stdout":${spoken},"content":${spoken},"type":"${kind}","prompt":${spoken}}`,
    ...others.map(([key, inner]) => `"${key}":${inner}`),
  ];
  return `{${members.slice(at % 6).join(',')},${members.slice(0, at % 6).join(',')}}`.replace(/,\}$/, '}');
});

const lines = tuple(
  array(line, { minLength: 1, maxLength: 3 }),
  array(tuple(integer({ min: 0 }), integer({ min: 0, max: 255 })), { maxLength: 2 }),
  constantFrom('\n', '\r\n'),
).map(([all, hits, newline]) => {
  const bytes = Buffer.from(all.join(newline) + newline);
  for (const [at, byte] of hits) bytes[at % bytes.length] = byte;
  return bytes;
});

interface Outcome extends Parsed {
  readonly drift: unknown;
}

function outcomeOf(bytes: Buffer, condense: CondensedParse | null): Outcome {
  const drift = createDrift();
  const parsed = parseBytes(bytes, { condense, see: drift.see });
  return { ...parsed, drift: drift.report() };
}

const sameRows = (condense: CondensedParse) =>
  property(lines, (bytes) => {
    expect(outcomeOf(bytes, condense)).toEqual(outcomeOf(bytes, null));
  });

describe('a condensed line gives the rows of the whole line', () => {
  test('however it is written, and whatever happened to it', () => {
    expect(defaultReportMessage(check(sameRows(parseCondensed), { numRuns: RUNS })) ?? null).toBeNull();
  });

  const changed = (index: number, change: Partial<TextRule>): readonly TextRule[] =>
    TEXT_RULES.map((rule, at) => (at === index ? { ...rule, ...change } : rule));
  const places = Object.fromEntries(TEXT_RULES.map(({ below, depth }, index) => [`${below} ${depth}`, index]));
  const mutants: readonly (readonly [string, readonly TextRule[]])[] = [
    ['cuts a path that is read', changed(places['toolUseResult any'] as number, { keys: ['filePath'] })],
    ['cuts the text of a message', changed(places['message 4'] as number, { action: 'cut' })],
    ['cuts the input of a call', changed(places['message 5'] as number, { action: 'cut' })],
    ['cuts what an attachment says', changed(places['attachment 2'] as number, { keys: ['prompt', 'content'] })],
  ];
  it.each(mutants)('bites: %s', (_name, rules) => {
    const outcome = check(sameRows(createCondensedParse(rules)), { numRuns: MUTANT_RUNS, seed: 7 });
    expect(outcome.failed).toBe(true);
  });

  test('of every line that the schemas know', () => {
    const bytes = linesOf(LINE_FIXTURES.flatMap(fixtureLines));
    expect(outcomeOf(bytes, parseCondensed)).toEqual(outcomeOf(bytes, null));
  });
});

const LONG = 'long text\n'.repeat(60);

function condensed(record: object): unknown {
  const bytes = Buffer.from(JSON.stringify(record));
  return parseCondensed(bytes, 0, bytes.length);
}

describe('what is condensed', () => {
  const content = [
    { type: 'text', text: LONG },
    { type: 'tool_use', id: 't', name: 'Write', input: { file_path: '/a', content: `${LONG}é` } },
    { type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: `${LONG}😀` }] },
  ];

  test('texts that are read come back', () => {
    const record = { type: 'user', message: { content } };
    expect(condensed(record)).toEqual(record);
  });

  test('texts that nobody reads are gone, their keys are not', () => {
    const record = {
      type: 'user',
      message: { content },
      toolUseResult: { stdout: LONG, file: { content: LONG, n: 1 } },
    };
    expect(condensed(record)).toEqual({ ...record, toolUseResult: { stdout: '-', file: { content: '-', n: 1 } } });
  });

  test.each([
    ['half of a surrogate pair', `{"type":"user","message":{"content":"${'x'.repeat(300)}\\ud800"}}`],
    ['the mark of a text set aside', `{"message":{"content":[{"text":"${'x'.repeat(300)}","x":"\\u00020"}]}}`],
    ['an escape that there is not', `{"toolUseResult":{"stdout":"${'x'.repeat(300)}\\x"}}`],
    ['four digits that are none', `{"toolUseResult":{"stdout":"${'x'.repeat(300)}\\u12g4"}}`],
    ['a control character', `{"toolUseResult":{"stdout":"${'x'.repeat(300)}\u0001"}}`],
    ['a string that does not end', `{"toolUseResult":{"stdout":"${'x'.repeat(300)}\\"}}`],
    ['a text where its key stands twice', `{"message":{"content":"${'x'.repeat(300)}","content":[]}}`],
    ['a list', `["${'x'.repeat(300)}"]`],
  ])('left to JSON.parse: %s', (_name, text) => {
    const bytes = Buffer.from(text);
    expect(parseCondensed(bytes, 0, bytes.length)).toBeNull();
  });

  test('left to JSON.parse: bytes that are no UTF-8 in a text that is cut', () => {
    const bytes = Buffer.from(`{"toolUseResult":{"stdout":"${'x'.repeat(300)}ÿ"}}`, 'latin1');
    expect(parseCondensed(bytes, 0, bytes.length)).toBeNull();
  });

  test('escapes at every place of a block', () => {
    for (let before = 0; before < 140; before += 1) {
      const text = `${'x'.repeat(before)}\\\\\\"\\n\\u00e9\\ud83d\\ude00\\\\${'y'.repeat(300 - before)}`;
      const bytes = Buffer.from(`{"message":{"content":"${text}"},"toolUseResult":{"stdout":"${text}"}}`);
      const { message } = JSON.parse(bytes.toString()) as { message: object };
      expect(parseCondensed(bytes, 0, bytes.length)).toEqual({ message, toolUseResult: { stdout: '-' } });
    }
  });
});
