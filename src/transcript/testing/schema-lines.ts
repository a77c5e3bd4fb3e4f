import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { REAL_FILES } from '../../../test/support/shared-data.ts';

// Shared by the tests of schema/ and drift.ts.

const fixtures = join(import.meta.dirname, '../schema/fixtures');

export const LINE_FIXTURES = ['lines-old', 'lines-middle', 'lines-today', 'attachments'] as const;

export type Line = Record<string, unknown> & { readonly type: string };

export function fixtureLines(name: string): Line[] {
  return linesOf(readFileSync(join(fixtures, `${name}.jsonl`), 'utf8')) as Line[];
}

export interface RealLine {
  readonly file: string;
  readonly value: unknown;
  /** Version in effect: the line's own or the last one before it. */
  readonly version: string | null;
}

/** Every JSON line of the real files. */
export function* realLines(): Generator<RealLine> {
  for (const file of readdirSync(REAL_FILES, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.jsonl')) continue;
    let version: string | null = null;
    for (const value of linesOf(readFileSync(join(REAL_FILES, file), 'utf8'))) {
      version = (value as { version?: string } | null)?.version ?? version;
      yield { file, value, version };
    }
  }
}

function linesOf(text: string): unknown[] {
  return text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line) as unknown];
    } catch {
      return [];
    }
  });
}

const KEYS = ['__proto__', 'constructor', 'toString', 'type', 'subtype', 'message', 'content', 'data', 'attachment'];
const WORDS = [
  'user',
  'assistant',
  'system',
  'attachment',
  'progress',
  'text',
  'tool_result',
  'hook_success',
  '__proto__',
];

/** JSON with significant and dangerous property names, as returned by `JSON.parse`. */
export const hostileJson: fc.Arbitrary<unknown> = fc
  .letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      fc.oneof(fc.constantFrom(...WORDS), fc.string()).map((text) => JSON.stringify(text)),
      fc.constantFrom('null', 'true', 'false', '0', '-1.5', '1e999'),
      fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
      fc
        .array(fc.tuple(fc.oneof(fc.constantFrom(...KEYS), fc.string()), tie('value')), { maxLength: 6 })
        .map((pairs) => `{${pairs.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`),
    ),
  }))
  .value.map((text) => JSON.parse(text) as unknown);
