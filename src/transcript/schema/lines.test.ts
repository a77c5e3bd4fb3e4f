import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HAS_REAL_FILES } from '../../../test/support/shared-data.ts';
import { scaled } from '../../../test/support/sizes.ts';
import { fixtureLines, hostileJson, LINE_FIXTURES, realLines } from '../testing/schema-lines.ts';
import { BLOCK_SCHEMAS, MCP_CONTENT_SCHEMAS } from './block.ts';
import { ATTACHMENT_SCHEMAS } from './line/attachment.ts';
import { QUEUE_SCHEMAS } from './line/state.ts';
import { PROGRESS_SCHEMAS, SYSTEM_SCHEMAS } from './line/system.ts';
import { LINE_TYPES } from './line-types.ts';
import { LINE_SCHEMAS, validateLine } from './lines.ts';

const envelope = { uuid: 'u', parentUuid: null, sessionId: 's', timestamp: '2026-01-01T00:00:00.000Z' };
const prompt = { ...envelope, type: 'user', message: { role: 'user', content: 'hello' } };

describe('our own lines from all versions', () => {
  it.each(LINE_FIXTURES)('%s: every line is valid in strict mode', (name) => {
    for (const line of fixtureLines(name)) {
      expect({ line: line.type, ...validateLine(line, { strict: true }) }).toMatchObject({ known: true, issues: [] });
    }
  });

  it('include every line type, subtype, kind and block', () => {
    const lines = LINE_FIXTURES.flatMap(fixtureLines);
    const text = JSON.stringify(lines);
    const missing = (table: object, key: string) =>
      Object.keys(table).filter((name) => !text.includes(`"${key}":"${name}"`));
    expect(LINE_TYPES.filter((type) => !lines.some((line) => line.type === type))).toEqual([]);
    expect(missing(SYSTEM_SCHEMAS, 'subtype')).toEqual([]);
    expect(missing(QUEUE_SCHEMAS, 'operation')).toEqual([]);
    for (const table of [ATTACHMENT_SCHEMAS, PROGRESS_SCHEMAS, BLOCK_SCHEMAS, MCP_CONTENT_SCHEMAS]) {
      expect(missing(table, 'type')).toEqual([]);
    }
  });
});

describe('tolerant', () => {
  it('keeps unknown fields', () => {
    const line = { ...prompt, brandNew: { deep: [1] } };
    expect(validateLine(line)).toEqual({ type: 'user', known: true, ok: true, issues: [] });
    expect(LINE_SCHEMAS.user.parse(line)).toMatchObject({ brandNew: { deep: [1] } });
  });

  it.each([
    ['line type', { type: 'brand-new', x: 1 }],
    ['block', { ...prompt, message: { role: 'user', content: [{ type: 'hologram', x: 1 }] } }],
    ['system subtype', { ...envelope, type: 'system', subtype: 'brand_new' }],
    ['attachment', { ...envelope, type: 'attachment', attachment: { type: 'brand_new' } }],
    ['progress', { ...envelope, type: 'progress', data: { type: 'brand_new' } }],
    ['queue operation', { type: 'queue-operation', operation: 'shuffle' }],
    ['tool result', { ...prompt, toolUseResult: { brand: 'new' } }],
  ])('accepts an unknown %s', (_, line) => {
    expect(validateLine(line).issues).toEqual([]);
    expect(validateLine(line, { strict: true }).ok).toBe(false);
  });

  it.each([
    ['a line that is no object', 7, '', 'expected an object'],
    ['an array', [prompt], '', 'expected an object'],
    ['no type', { uuid: 'u' }, 'type', 'expected a string'],
    ['an inherited type', Object.create(prompt), 'type', 'expected a string'],
    ['no message', { ...envelope, type: 'user' }, 'message', 'expected object, received undefined'],
    ['content of a number', { ...prompt, message: { content: 5 } }, 'message.content', 'expected string or array'],
    [
      'a text block without text',
      { ...prompt, message: { content: [{ type: 'text' }] } },
      'message.content[0].text',
      'expected string, received undefined',
    ],
    [
      'a block without type',
      { ...prompt, message: { content: [{ text: 'x' }] } },
      'message.content[0].type',
      'expected string, received undefined',
    ],
    [
      'a shell result with a number for stdout',
      { ...prompt, toolUseResult: { stdout: 1, interrupted: false } },
      'toolUseResult.stdout',
      'expected string, received number',
    ],
    [
      'a usage that is text',
      { ...envelope, type: 'assistant', message: { content: [], usage: { input_tokens: 'many', output_tokens: 1 } } },
      'message.usage.input_tokens',
      'expected number, received string',
    ],
    [
      'a known attachment gone wrong',
      { ...envelope, type: 'attachment', attachment: { type: 'file', filename: 1 } },
      'attachment.filename',
      'expected string, received number',
    ],
  ])('rejects %s', (_, line, path, message) => {
    expect(validateLine(line).issues).toEqual([{ path, message }]);
  });
});

describe('strict', () => {
  it('names unknown fields with their path at every depth', () => {
    const line = {
      ...prompt,
      fresh: 1,
      toolUseResult: { stdout: '', interrupted: false, fresh: 1 },
      message: { role: 'user', content: [{ type: 'text', text: 'x', fresh: 1 }], fresh: 1 },
    };
    expect(validateLine(line, { strict: true }).issues.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
      { path: 'fresh', message: 'unknown field' },
      { path: 'message.content[0].fresh', message: 'unknown field' },
      { path: 'message.fresh', message: 'unknown field' },
      { path: 'toolUseResult.fresh', message: 'unknown field' },
    ]);
  });

  it('reports a field named __proto__', () => {
    const line = JSON.parse(JSON.stringify(prompt).replace('{', '{"__proto__":{"x":1},')) as unknown;
    expect(validateLine(line, { strict: true }).issues).toEqual([{ path: '__proto__', message: 'unknown field' }]);
  });

  it('ignores keys that are data', () => {
    const snapshot = { trackedFileBackups: { 'any/file.txt': { version: 1 }, odd: { version: 1, fresh: 1 } } };
    expect(validateLine({ type: 'file-history-snapshot', snapshot }, { strict: true }).issues).toEqual([
      { path: 'snapshot.trackedFileBackups.odd.fresh', message: 'unknown field' },
    ]);
  });

  it('limits the number of issues', () => {
    const broken = { ...prompt, message: { content: Array.from({ length: 5000 }, () => ({ type: 'text' })) } };
    expect(validateLine(broken).issues).toHaveLength(100);
    const fresh = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`f${i}`, i]));
    expect(validateLine({ ...prompt, ...fresh }, { strict: true }).issues).toHaveLength(100);
  });
});

describe('for any input', () => {
  it('never throws, and strict is never more lenient than tolerant', () => {
    fc.assert(
      fc.property(hostileJson, (value) => {
        const tolerant = validateLine(value);
        const strict = validateLine(value, { strict: true });
        expect(strict.issues.length).toBeGreaterThanOrEqual(tolerant.issues.length);
        expect(tolerant.ok).toBe(tolerant.issues.length === 0);
      }),
      { numRuns: scaled(500) },
    );
  });

  it('never throws on valid lines with one value replaced', () => {
    const lines = LINE_FIXTURES.flatMap(fixtureLines);
    fc.assert(
      fc.property(fc.constantFrom(...lines), fc.nat(), hostileJson, (line, at, value) => {
        expect(validateLine(replaceAt(line, at, value), { strict: true })).toHaveProperty('issues');
      }),
      { numRuns: scaled(500) },
    );
  });

  it('never repeats a value of the line in a message', () => {
    const secret = 'correct-horse-battery';
    const lines = LINE_FIXTURES.flatMap(fixtureLines);
    fc.assert(
      fc.property(fc.constantFrom(...lines), fc.nat(), (line, at) => {
        expect(JSON.stringify(validateLine(replaceAt(line, at, secret)).issues)).not.toContain(secret);
      }),
      { numRuns: scaled(300) },
    );
  });
});

describe.runIf(HAS_REAL_FILES)('real files', () => {
  it('are valid without unknown fields, except two lines of a history.jsonl', () => {
    const strays = new Map<string, number>();
    let lines = 0;
    for (const { file, value } of realLines()) {
      lines += 1;
      for (const { path, message } of validateLine(value, { strict: true }).issues) {
        const key = `${file.endsWith('history.jsonl') ? 'history: ' : ''}${path} ${message}`;
        strays.set(key, (strays.get(key) ?? 0) + 1);
      }
    }
    expect(lines).toBeGreaterThan(12_000);
    expect([...strays]).toEqual([['history: type expected a string', 2]]);
  });
});

/** A copy of the line with its n-th value (modulo their number) replaced. */
function replaceAt(line: object, at: number, value: unknown): unknown {
  let total = 0;
  JSON.stringify(line, (_, inner: unknown) => {
    total += 1;
    return inner;
  });
  let seen = -1;
  const text = JSON.stringify(line, (_, inner: unknown) => {
    seen += 1;
    return seen === at % total ? value : inner;
  });
  return JSON.parse(text);
}
