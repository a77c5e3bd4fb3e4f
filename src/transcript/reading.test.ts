import { describe, expect, it } from 'vitest';
import { growthOf, LINEAR } from '../../test/support/growth.ts';
import { createParser } from './parser.ts';
import { MAX_LINE_BYTES } from './read/lines.ts';
import {
  assistantLine,
  envelope,
  linesOf,
  parseBytes,
  parseLines,
  SESSION,
  text,
  userLine,
  uuid,
} from './testing/parse-text.ts';

const RECORD = JSON.stringify(userLine('hello'));
const OTHER = JSON.stringify(userLine('again', { parentUuid: uuid(1) }));

function sink() {
  return { block: () => undefined };
}

function reading(bytes: Buffer | string) {
  const { session } = parseBytes(Buffer.from(bytes));
  const { lines } = session;
  expect(lines.records + lines.salvaged + lines.skipped).toBe(lines.total);
  return { lines, anomalies: Object.fromEntries(session.anomalies), messages: session.messages.length, session };
}

describe('C1 a partial last line', () => {
  it('C1 is not parsed before it is complete, one byte at a time', () => {
    const bytes = linesOf([RECORD, OTHER]);
    const parser = createParser(SESSION, [{ role: 'main', agentId: null, name: 'a' }], sink());
    let seen = 0;
    for (const [at, byte] of bytes.entries()) {
      parser.push(0, Uint8Array.of(byte));
      const complete = bytes.subarray(0, at + 1).filter((value) => value === 0x0a).length;
      expect(parser.state.recordCount).toBe(complete);
      seen = parser.state.recordCount;
    }
    expect(seen).toBe(2);
  });

  it('C3 bytes appended after a read are included next time', () => {
    const bytes = linesOf([RECORD, OTHER]);
    const parser = createParser(SESSION, [{ role: 'main', agentId: null, name: 'a' }], sink());
    parser.push(0, bytes.subarray(0, RECORD.length - 7));
    expect(parser.state.recordCount).toBe(0);
    parser.push(0, bytes.subarray(RECORD.length - 7));
    parser.endFile(0);
    expect(parser.finish().messages).toHaveLength(2);
  });

  it('C2 a torn tail is counted as such and the rest is unaffected', () => {
    const got = reading(`${RECORD}\n${OTHER.slice(0, -9)}`);
    expect(got).toMatchObject({
      lines: { total: 2, records: 1, skipped: 1 },
      anomalies: { truncated_tail: 1 },
      messages: 1,
    });
    expect(got.session.skipped).toEqual([
      { position: { file: 0, line: 2, offset: RECORD.length + 1, length: OTHER.length - 9 }, reason: 'truncated_tail' },
    ]);
  });

  it('a complete last line without a newline is a record', () => {
    expect(reading(`${RECORD}\n${OTHER}`)).toMatchObject({ lines: { total: 2, records: 2 }, messages: 2 });
  });
});

describe('a broken progress line', () => {
  const inner = { type: 'assistant', uuid: uuid(), message: { id: 'm9', model: 'm', content: text('of the agent') } };
  const whole = JSON.stringify(
    envelope('progress', { data: { message: inner, type: 'agent_progress', agentId: 'a1' } }),
  );
  const echo = JSON.stringify(inner);
  const to = whole.indexOf(echo) + echo.length;

  it.each([
    ['cut after the message it quotes', whole.slice(0, to)],
    ['with a hole before it', `${whole.slice(0, whole.indexOf(echo) - 3)}\0\0${whole.slice(whole.indexOf(echo), to)}`],
    ['without its beginning', whole.slice(whole.indexOf(echo) - 4, to)],
  ])('%s yields no answer of the main thread', (_name, line) => {
    const { session } = parseLines([line, userLine('go')]);
    expect(session.messages.map(({ origin }) => origin)).toEqual(['human']);
    expect(session.lines).toMatchObject({ total: 2, records: 1, skipped: 1 });
  });

  it('overwritten by the next record yields that record', () => {
    const next = JSON.stringify(assistantLine(text('hello')));
    const { session } = parseLines([whole.slice(0, to) + next]);
    expect(session.messages.map(({ origin, agentId }) => [origin, agentId])).toEqual([['model', null]]);
    expect(session.stats.assistantMessages).toBe(1);
  });
});

describe('C10 spliced lines', () => {
  const splices = [
    `{"parentUuid":"x","message":{"content":"cut off he${RECORD}`,
    `{"parentUuid":"x","toolUseResult":{"stdout":"cut \\"quoted${RECORD}`,
    `{"type":"user","message":{"role":"user","content":[{"type":"text","text":"half${RECORD}`,
    `{"parentUuid":${RECORD}`,
    `garbage ${RECORD}`,
  ];
  it.each(splices)('C10 the record at the end is recovered: %#', (line) => {
    expect(reading(`${line}\n`)).toMatchObject({
      lines: { total: 1, salvaged: 1 },
      anomalies: { spliced_line: 1 },
      messages: 1,
    });
  });

  it('C10 the position is that of the record, not of the line', () => {
    const { session } = reading(`garbage ${RECORD}\n`);
    expect(session.messages[0]?.lines).toEqual([{ file: 0, line: 1, offset: 8, length: RECORD.length }]);
  });

  it('C10 a record inside a broken record is not treated as a line', () => {
    const broken = `{"type":"progress","data":{"message":${RECORD},"x":[REDACTED]},"uuid":"u"}`;
    expect(reading(`${broken}\n`)).toMatchObject({
      lines: { skipped: 1 },
      anomalies: { invalid_json: 1 },
      messages: 0,
    });
  });
});

describe('C11 NUL bytes', () => {
  it.each([`\0\0\0${RECORD}`, `${RECORD}\0\0`, `\0${RECORD}\0`])('C11 around a record: %#', (line) => {
    expect(reading(`${line}\n`)).toMatchObject({ lines: { salvaged: 1 }, anomalies: { nul_bytes: 1 }, messages: 1 });
  });

  it('C11 between two records', () => {
    expect(reading(`${RECORD}\0\0${OTHER}\n`)).toMatchObject({ lines: { salvaged: 1 }, messages: 2 });
  });

  it('C11 a tail that consists of NUL only', () => {
    expect(reading(`${RECORD}\n\0\0\0\0`)).toMatchObject({
      lines: { records: 1, skipped: 1 },
      anomalies: { nul_bytes: 1 },
    });
  });
});

it('C12 two objects on one line are two records', () => {
  expect(reading(`${RECORD}${OTHER}\n`)).toMatchObject({
    lines: { total: 1, salvaged: 1 },
    anomalies: { several_records: 1 },
    messages: 2,
  });
});

describe('C13 line endings, byte order marks and blanks', () => {
  it('C13 CRLF and a byte order mark', () => {
    const got = reading(`\uFEFF${RECORD}\r\n${OTHER}\r\n`);
    expect(got).toMatchObject({
      lines: { total: 2, records: 2 },
      anomalies: { byte_order_mark: 1, carriage_return: 2 },
    });
    expect(got.session.messages[0]?.lines[0]).toMatchObject({ offset: 3 });
  });

  it('C13 only 0x0A ends a line: bare CR, U+2028 and U+2029 do not', () => {
    const lines = [userLine('a\u2028b\u2029c'), userLine('d')].map((line) => JSON.stringify(line));
    expect(reading(`${lines.join('\n')}\n`)).toMatchObject({ lines: { total: 2, records: 2 }, messages: 2 });
    expect(reading(`${RECORD}\r${OTHER}\n`)).toMatchObject({ lines: { total: 1, salvaged: 1 }, messages: 2 });
  });

  it('C13 empty, blank and comment lines are skipped with their reasons', () => {
    const got = reading(`\n  \t\n// Source: somewhere\n# note\n${RECORD}\n`);
    expect(got).toMatchObject({
      lines: { total: 5, records: 1, skipped: 4 },
      anomalies: { empty_line: 2, comment_line: 2 },
    });
  });
});

describe('C14 C15 very long lines', () => {
  it('C14 a 12 MB line is one record with its whole text', () => {
    const long = 'x"\\\n→'.repeat(2_000_000);
    const { session, blocks } = parseLines([userLine(long)], { chunkBytes: 65_536 });
    expect(session.lines).toMatchObject({ total: 1, records: 1 });
    expect(blocks[0]?.contentText).toBe(long);
  });

  it('C15 an oversize line is counted and skipped, and keeps no bytes', () => {
    const bytes = linesOf([RECORD, userLine('y'.repeat(5000)), OTHER]);
    const got = parseBytes(bytes, { maxLineBytes: 1000, chunkBytes: 77 });
    expect(got.session.lines).toEqual({ total: 3, records: 2, salvaged: 0, skipped: 1 });
    expect(got.session.anomalies.get('oversize_line')).toBe(1);
    expect(got.session.messages[1]?.lines[0]?.line).toBe(3);
    expect(MAX_LINE_BYTES).toBe(268_435_456);
  });

  it('C15 a line of hundreds of megabytes is not held in memory, and the lines around it are read', () => {
    const MEGABYTE = 1024 * 1024;
    const piece = Buffer.alloc(MEGABYTE, 'y');
    const heads = [{ role: 'main', agentId: null, name: 'a' } as const];
    const parser = createParser(SESSION, heads, sink(), { maxLineBytes: 4 * MEGABYTE });
    parser.push(0, linesOf([RECORD]));
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    for (let n = 0; n < 300; n++) {
      parser.push(0, piece);
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }
    parser.push(0, linesOf(['', OTHER]));
    parser.endFile(0);
    const { lines, anomalies, messages } = parser.finish();
    expect(lines).toEqual({ total: 3, records: 2, salvaged: 0, skipped: 1 });
    expect(anomalies.get('oversize_line')).toBe(1);
    expect(messages[1]?.lines[0]?.line).toBe(3);
    expect(most).toBeLessThan(60 * MEGABYTE);
  });

  it('C15 the limit does not depend on the chunking', () => {
    const bytes = linesOf([RECORD, userLine('y'.repeat(5000)), OTHER]);
    const whole = parseBytes(bytes, { maxLineBytes: 1000 }).session.lines;
    expect(whole).toEqual(parseBytes(bytes, { maxLineBytes: 1000, chunkBytes: 7 }).session.lines);
  });
});

it('C16 time grows linearly with the number of lines', () => {
  const linesFor = (count: number) => {
    const out: object[] = [];
    for (let at = 0; at < count; at += 1) {
      out.push(userLine(`p${at}`, { uuid: uuid(100 + at), parentUuid: at === 0 ? null : uuid(99 + at) }));
      out.push(assistantLine(text('ok'), { id: `msg_${at}`, uuid: uuid(1_000_000 + at), parentUuid: uuid(100 + at) }));
    }
    return linesOf(out);
  };
  expect(growthOf(1_000, linesFor, (bytes) => parseBytes(bytes))).toBeLessThan(LINEAR);
});
