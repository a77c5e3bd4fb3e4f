import { isDeepStrictEqual } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import { check, defaultReportMessage, type IPropertyWithHooks, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scaled } from '../../test/support/sizes.ts';
import type { ContentBlock } from '../domain/transcript.ts';
import { createParser, resumeParser } from './parser.ts';
import type { SessionState } from './state.ts';
import { anyBytes, transcriptBytes } from './testing/arbitrary-transcript.ts';
import { type Parsed, parseBytes, SESSION } from './testing/parse-text.ts';

/** Each property takes an implementation, so that broken ones prove that it detects errors. */
const RUNS = scaled(100);
/** Mutants run on fixed seeds, so that detection does not depend on chance. */
const MUTANT_RUNS = 2_000;
type Parse = (bytes: Buffer) => Parsed;

/** The counterexample found by fast-check; null if the property holds. */
function failureOf<T>(claim: IPropertyWithHooks<T>): string | null {
  return defaultReportMessage(check(claim, { numRuns: RUNS })) ?? null;
}

function isCaught<T>(claim: IPropertyWithHooks<T>): boolean {
  return check(claim, { numRuns: MUTANT_RUNS, seed: 1, endOnFailure: true }).failed;
}

function countLines(bytes: Buffer): number {
  let lines = 0;
  for (const byte of bytes) if (byte === 0x0a) lines += 1;
  return lines + (bytes.length > 0 && bytes.at(-1) !== 0x0a ? 1 : 0);
}

describe('D17 any bytes: never throws, and every line is in exactly one class', () => {
  const accounting = (parse: Parse) =>
    property(anyBytes, (bytes) => {
      const { session } = parse(bytes);
      const { lines } = session;
      expect(lines.total).toBe(countLines(bytes));
      expect(lines.records + lines.salvaged + lines.skipped).toBe(lines.total);
      expect(session.skipped).toHaveLength(lines.skipped);
      for (const { position } of session.skipped)
        expect(position.offset + position.length).toBeLessThanOrEqual(bytes.length);
      for (const message of session.messages) expect(message.lines.length).toBeGreaterThan(0);
    });

  it('D17 holds', () => expect(failureOf(accounting(parseBytes))).toBeNull());

  const mutants: readonly (readonly [string, Parse])[] = [
    [
      'drops empty lines',
      (bytes) => parseBytes(Buffer.from(bytes.toString('latin1').replace(/\n\n+/g, '\n'), 'latin1')),
    ],
    ['ends lines at CR', (bytes) => parseBytes(Buffer.from(bytes.toString('latin1').replaceAll('\r', '\n'), 'latin1'))],
    [
      'throws on a bad line',
      (bytes) => {
        for (const line of bytes.toString().split('\n')) if (line !== '') JSON.parse(line);
        return parseBytes(bytes);
      },
    ],
    [
      'counts a salvaged line twice',
      (bytes) => withLines(parseBytes(bytes), (lines) => ({ ...lines, total: lines.total + lines.salvaged })),
    ],
    [
      'forgets skipped lines',
      (bytes) =>
        withLines(parseBytes(bytes), (lines) => ({ ...lines, total: lines.total - lines.skipped, skipped: 0 })),
    ],
    ['ignores the last line without a newline', (bytes) => parseBytes(bytes.subarray(0, bytes.lastIndexOf('\n') + 1))],
  ];
  it.each(mutants)('D17 detects the mutant: %s', (_name, parse) => expect(isCaught(accounting(parse))).toBe(true));
});

function withLines(parsed: Parsed, change: (lines: Parsed['session']['lines']) => Parsed['session']['lines']): Parsed {
  return { ...parsed, session: { ...parsed.session, lines: change(parsed.session.lines) } };
}

describe('D18 the state after a prefix plus the rest gives the whole, for every cut', () => {
  type Keep = (state: SessionState) => SessionState;
  const stored: Keep = (state) => deserialize(serialize(state)) as SessionState;

  const resumed = (keep: Keep, resume = resumeParser): ((bytes: Buffer, cut: number) => Parsed) => {
    return (bytes, cut) => {
      const blocks: ContentBlock[] = [];
      const sink = { block: (block: ContentBlock) => void blocks.push(block) };
      const first = createParser(SESSION, [{ role: 'main', agentId: null, name: 'file-0.jsonl' }], sink);
      first.push(0, bytes.subarray(0, cut));
      const second = resume(keep(first.state), sink);
      second.push(0, bytes.subarray(cut));
      second.endFile(0);
      return { session: second.finish(), blocks };
    };
  };
  const incremental = (parse: (bytes: Buffer, cut: number) => Parsed) =>
    property(transcriptBytes, integer({ min: 0 }), (bytes, at) => {
      const cut = bytes.length === 0 ? 0 : at % (bytes.length + 1);
      expect(parse(bytes, cut)).toEqual(parseBytes(bytes));
    });

  it('D18 holds', () => expect(failureOf(incremental(resumed(stored)))).toBeNull());

  const small = Buffer.from(
    [
      '{"type":"user","uuid":"u1","message":{"content":"→ ä 😀"}}',
      '{"type":"assistant","uuid":"u2","parentUuid":"u1","message":{"id":"m","model":"x","content":[],"usage":{"output_tokens":2}}}',
      '\0{"type":"user"',
    ].join('\n'),
  );
  const cutsThatDiffer = (parse: (bytes: Buffer, cut: number) => Parsed): readonly number[] => {
    const cuts = Array.from({ length: small.length + 1 }, (_, cut) => cut);
    return cuts.filter((cut) => !isDeepStrictEqual(parse(small, cut), parseBytes(small)));
  };

  it('D18 holds for every single cut of one file', () => expect(cutsThatDiffer(resumed(stored))).toEqual([]));

  it('D18 holds for every chunk size', () => {
    const chunked = property(transcriptBytes, integer({ min: 1, max: 40 }), (bytes, chunkBytes) => {
      expect(parseBytes(bytes, { chunkBytes })).toEqual(parseBytes(bytes));
    });
    expect(failureOf(chunked)).toBeNull();
  });

  const mutants: readonly (readonly [string, Keep])[] = [
    [
      'loses the unfinished line',
      (state) => changeSplitter(stored(state), (old) => ({ ...old, carryBytes: 0, lineBytes: 0 })),
    ],
    ['loses the line number', (state) => changeSplitter(stored(state), (old) => ({ ...old, lineCount: 0 }))],
    ['loses the offset', (state) => changeSplitter(stored(state), (old) => ({ ...old, lineOffset: 0 }))],
    ['loses open API messages', (state) => ({ ...stored(state), apiMessages: new Map() })],
    ['loses tool calls', (state) => ({ ...stored(state), toolCalls: new Map() })],
    [
      'loses the uuids',
      (state) => ({ ...stored(state), uuids: createParser(SESSION, [], { block: () => undefined }).state.uuids }),
    ],
    ['loses anomalies', (state) => ({ ...stored(state), anomalies: new Map() })],
    ['loses the record count', (state) => ({ ...stored(state), recordCount: 0 })],
    [
      'loses the queue',
      (state) => ({ ...stored(state), queue: { operations: [], waiting: [], absorbed: [], seenPrompts: new Set() } }),
    ],
  ];
  it.each(mutants)('D18 detects the mutant: %s', (_name, keep) =>
    expect(isCaught(incremental(resumed(keep)))).toBe(true),
  );

  it('D18 detects a mutant that decodes chunks as text', () => {
    const asText = (bytes: Buffer, cut: number) =>
      parseBytes(Buffer.from(bytes.subarray(0, cut).toString() + bytes.subarray(cut).toString()));
    expect(cutsThatDiffer(asText)).not.toEqual([]);
  });
});

function changeSplitter(
  state: SessionState,
  change: (old: SessionState['files'][number]['splitter']) => SessionState['files'][number]['splitter'],
): SessionState {
  return { ...state, files: state.files.map((file) => ({ ...file, splitter: change(file.splitter) })) };
}

describe('D19 parsing again produces the same rows with the same ids', () => {
  const again = (parse: Parse) =>
    property(anyBytes, (bytes) => {
      const [first, second] = [parse(bytes), parse(bytes)];
      expect(second).toEqual(first);
      const ids = first.session.messages.map((message) => message.id);
      expect(new Set(ids).size).toBe(ids.length);
      const keys = first.blocks.map((block) => `${block.messageId}:${block.blockOrder}`);
      expect(new Set(keys).size).toBe(keys.length);
      const known = new Set(ids);
      for (const block of first.blocks) expect(known.has(block.messageId)).toBe(true);
    });

  it('D19 holds', () => expect(failureOf(again(parseBytes))).toBeNull());

  let serial = 0;
  const renamed = (rename: (id: string) => string): Parse => {
    return (bytes) => {
      const parsed = parseBytes(bytes);
      const messages = parsed.session.messages.map((message) => ({ ...message, id: rename(message.id) }));
      return { ...parsed, session: { ...parsed.session, messages } };
    };
  };
  it('D19 detects a mutant with ids from a counter', () => {
    expect(isCaught(again(renamed(() => `m${(serial += 1)}`)))).toBe(true);
  });
  it('D19 detects a mutant with duplicate ids', () => {
    expect(isCaught(again(renamed(() => 'same')))).toBe(true);
  });
  it('D19 detects a mutant with the raw uuid as id, although lines may share one', () => {
    const byUuid: Parse = (bytes) => {
      const parsed = parseBytes(bytes);
      const messages = parsed.session.messages.map((message) => ({ ...message, id: message.uuid ?? message.id }));
      return { ...parsed, session: { ...parsed.session, messages } };
    };
    expect(isCaught(again(byUuid))).toBe(true);
  });
});
