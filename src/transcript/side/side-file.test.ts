import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSide, readSideLines, type SideInput, type SideResult } from './side-file.ts';
import {
  readAgentMeta,
  readCustomTitle,
  readHistory,
  readLiveSession,
  readPlan,
  readSessionsIndex,
  readTask,
  readTodos,
  readWorkflowJournal,
  readWorkflowRun,
} from './small-files.ts';

const READERS: Readonly<Record<string, (input: SideInput) => SideResult<unknown>>> = {
  readSessionsIndex,
  readHistory,
  readAgentMeta,
  readTask: (input) => readTask(input, '1'),
  readTodos,
  readPlan: (input) => readPlan(input, 'plan.md'),
  readLiveSession,
  readCustomTitle,
  readWorkflowRun,
  readWorkflowJournal,
};

const KEYS = ['sessionId', 'entries', 'display', 'pastedContents', 'content', 'type', 'phases', 'workflowProgress'];

const jsonText: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(fc.string(), fc.constantFrom(...KEYS)).map((text) => JSON.stringify(text)),
    fc.constantFrom('null', 'true', '0', '1e999'),
    fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
    fc
      .array(fc.tuple(fc.constantFrom(...KEYS, '__proto__', 'constructor'), tie('value')), { maxLength: 5 })
      .map((pairs) => `{${pairs.map(([key, value]) => `"${key}":${value}`).join(',')}}`),
  ),
})).value;

describe.each(Object.entries(READERS))('%s', (_, read) => {
  it('never throws on any text or bytes', () => {
    fc.assert(
      fc.property(fc.oneof(jsonText, fc.string(), fc.uint8Array()), (input) => {
        expect(read(input).problems).toBeInstanceOf(Map);
      }),
      { numRuns: 300 },
    );
  });

  it('gives the same result for text and for its bytes', () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        expect(read(new TextEncoder().encode(text))).toEqual(read(text));
      }),
      { numRuns: 100 },
    );
  });
});

describe('a side file', () => {
  const text = (input: SideInput) => readSide(input, '', (content) => content);

  it('is read without its byte order mark', () => {
    expect(text('\uFEFFtea')).toEqual({ value: 'tea', problems: new Map([['byte_order_mark', 1]]) });
  });

  it('is read as far as possible with invalid UTF-8', () => {
    const { value, problems } = text(new Uint8Array([0x74, 0xff, 0x61]));
    expect(value).toBe('t\uFFFDa');
    expect([...problems]).toEqual([['invalid_utf8', 1]]);
  });

  it('is not read if it is too large', () => {
    const huge = { length: 257 * 1024 * 1024 } as Uint8Array;
    expect(text(huge)).toEqual({ value: '', problems: new Map([['too_large', 1]]) });
  });

  it('with lines: empty ones are ignored, broken ones and a torn end are counted', () => {
    const lines = '{"a":1}\n\n  \r\nno\n[1]\n{"a":2}\r\n{"a":';
    const { value, problems } = readSideLines(lines, (object, lineNumber) => [lineNumber, object['a']]);
    expect(value).toEqual([
      [1, 1],
      [6, 2],
    ]);
    expect(Object.fromEntries(problems)).toEqual({ invalid_json: 1, wrong_shape: 1, truncated_tail: 1 });
  });
});
