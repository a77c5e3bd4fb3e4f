import type { Arbitrary } from 'fast-check';
import { array, constant, constantFrom, integer, oneof, option, record, string, tuple, uint8Array } from 'fast-check';
import { anyCharacter } from '../../../test/support/any-character.ts';
import { assistantLine, envelope, text, timeAt, toolResult, toolUse, userLine } from './parse-text.ts';

/** Generators of nearly valid transcripts and of the damage that happens to them. */

const pool = (prefix: string, size: number) => integer({ min: 0, max: size }).map((number) => `${prefix}${number}`);
const uuids = integer({ min: 0, max: 14 }).map(
  (number) => `00000000-0000-4000-a000-${String(number).padStart(12, '0')}`,
);
const words = oneof(
  string({ unit: anyCharacter, maxLength: 12 }),
  constantFrom('hello', '', '→ ä 😀', 'x'.repeat(700)),
);

const place = record({
  uuid: option(uuids, { nil: undefined }),
  parentUuid: option(oneof(uuids, constant('odd id')), { nil: null }),
  timestamp: oneof(
    { weight: 6, arbitrary: integer({ min: 0, max: 500 }).map(timeAt) },
    { weight: 3, arbitrary: constantFrom(timeAt(1), timeAt(2)) },
    {
      weight: 1,
      arbitrary: constantFrom(
        '1970-01-01T00:00:00.000Z',
        '9999-12-31T23:59:59.999Z',
        'never',
        '',
        '2026-01-01T09:00:00+09:00',
      ),
    },
  ),
  isSidechain: constantFrom(true, false, false, false),
});

const content = oneof(
  words,
  words.map(text),
  pool('t', 4).map((id) => toolUse(id, 'Bash', { command: 'ls' })),
  tuple(pool('t', 4), words).map(([id, said]) => toolResult(id, said)),
  constant([{ type: 'thinking', thinking: '', signature: 's' }]),
);

const progress = tuple(place, uuids, content).map(([fields, inner, said]) =>
  envelope('progress', {
    ...fields,
    data: { type: 'agent_progress', agentId: 'a1', message: { type: 'user', uuid: inner, message: { content: said } } },
  }),
);

const anyRecord: Arbitrary<object> = oneof(
  tuple(content, place).map(([said, fields]) =>
    userLine(said, { ...fields, toolUseResult: { stdout: 'o'.repeat(900) } }),
  ),
  tuple(content, place, pool('msg_', 3), pool('req_', 1), integer({ min: 0, max: 99 })).map(
    ([said, fields, id, requestId, output]) => assistantLine(said, { ...fields, id, requestId, output }),
  ),
  place.map((fields) => envelope('system', { ...fields, subtype: 'compact_boundary', content: 'compacted' })),
  place.map((fields) => envelope('attachment', { ...fields, attachment: { type: 'queued_command', prompt: 'go' } })),
  progress,
  tuple(constantFrom('enqueue', 'remove', 'popAll', 'dequeue'), constantFrom('go', 'stop')).map(
    ([operation, said]) => ({
      type: 'queue-operation',
      operation,
      content: said,
    }),
  ),
  constantFrom({ type: 'summary', summary: 's', leafUuid: 'x' }, { type: 'ai-title', aiTitle: 't' }, { type: 'new' }),
);

const oddLine = constantFrom('', ' ', '// note', '\0\0', '{"type":"user","mess', 'null', '[]', '}{', '\uFEFF', '\r');

const goodLine = anyRecord.map((value) => JSON.stringify(value));

/** Lines joined without a newline, with or without a gap between them. */
const gluedLine = tuple(goodLine, constantFrom('', '\0', ' '), goodLine, integer({ min: 0, max: 40 })).map(
  ([first, between, second, lost]) => first.slice(0, first.length - lost) + between + second,
);

/** A file as a client could have left it. */
export const transcriptBytes: Arbitrary<Buffer> = tuple(
  array(
    oneof({ weight: 8, arbitrary: goodLine }, { weight: 1, arbitrary: oddLine }, { weight: 1, arbitrary: gluedLine }),
    {
      maxLength: 14,
    },
  ),
  constantFrom('\n', '\n', '\n', '\r\n'),
  constantFrom('\n', '', '\n{"type":"us'),
).map(([lines, newline, end]) => Buffer.from(lines.join(newline) + end));

/** The same with a few damaged bytes. */
export const damagedBytes: Arbitrary<Buffer> = tuple(
  transcriptBytes,
  array(tuple(integer({ min: 0 }), integer({ min: 0, max: 255 })), { maxLength: 4 }),
).map(([bytes, hits]) => {
  const damaged = Buffer.from(bytes);
  if (damaged.length > 0) for (const [at, value] of hits) damaged[at % damaged.length] = value;
  return damaged;
});

export const anyBytes: Arbitrary<Buffer> = oneof(
  transcriptBytes,
  damagedBytes,
  uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
);
