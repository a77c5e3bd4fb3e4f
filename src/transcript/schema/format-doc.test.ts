import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { BLOCK_SCHEMAS, MCP_CONTENT_SCHEMAS } from './block.ts';
import { ATTACHMENT_SCHEMAS } from './line/attachment.ts';
import { QUEUE_SCHEMAS } from './line/state.ts';
import { PROGRESS_SCHEMAS, SYSTEM_SCHEMAS } from './line/system.ts';
import { LINE_SCHEMAS } from './lines.ts';
import { chainFields, stateFields } from './message.ts';
import { TOOL_RESULT_SHAPES } from './tool-result/table.ts';

const doc = readFileSync(join(import.meta.dirname, '../../../docs/transcript-format.md'), 'utf8');

/** Rows of the first table after a heading, by the name in their first cell. */
function rowsBehind(heading: string): ReadonlyMap<string, string> {
  const section = doc.slice(doc.indexOf(`\n${heading}\n`)).split(/\n#+ /)[1] ?? '';
  return new Map([...section.matchAll(/^\| `([^`]+)` \|.*$/gm)].map((match) => [match[1] ?? '', match[0]]));
}

const RESULT_SCHEMAS = Object.fromEntries(
  Object.entries(TOOL_RESULT_SHAPES).map(([name, { schema }]) => [name, schema]),
);

/** Fields documented once for all kinds, in the text of their section. */
const SHARED: ReadonlySet<string> = new Set([
  ...Object.keys(chainFields),
  ...Object.keys(stateFields),
  'type',
  'subtype',
  'operation',
  'content',
  'level',
  'toolUseID',
  'cache_control',
  'annotations',
  '_meta',
]);

function undocumented(schema: z.ZodType, row: string): string[] {
  const shape = 'shape' in schema ? (schema.shape as object) : {};
  return Object.keys(shape).filter((field) => !SHARED.has(field) && !row.includes(`\`${field}\``));
}

describe.each([
  ['## Line types', LINE_SCHEMAS],
  ['### System lines', SYSTEM_SCHEMAS],
  ['### Attachments', ATTACHMENT_SCHEMAS],
  ['### Progress lines', PROGRESS_SCHEMAS],
  ['### Queue operations', QUEUE_SCHEMAS],
  ['## Blocks', BLOCK_SCHEMAS],
  ['## Tool results', { ...RESULT_SCHEMAS, ...MCP_CONTENT_SCHEMAS }],
] as readonly (readonly [string, Readonly<Record<string, z.ZodType>>])[])(
  'docs/transcript-format.md, %s',
  (heading, table) => {
    const rows = rowsBehind(heading);

    it('has a row for each name and no others', () => {
      expect([...rows.keys()].toSorted()).toEqual(Object.keys(table).toSorted());
    });

    it('names the fields of each', () => {
      const wholeSection = new Set(['user', 'assistant', ...Object.keys(QUEUE_SCHEMAS)]);
      const missing = Object.entries(table)
        .filter(([name]) => !wholeSection.has(name))
        .flatMap(([name, schema]) => undocumented(schema, rows.get(name) ?? '').map((field) => `${name}.${field}`));
      expect(missing).toEqual([]);
    });
  },
);

describe.each([
  ['### User lines', LINE_SCHEMAS.user],
  ['### Assistant lines', LINE_SCHEMAS.assistant],
])('docs/transcript-format.md, %s', (heading, schema) => {
  it('names every field of the line', () => {
    const section = doc.slice(doc.indexOf(`\n${heading}\n`)).split(/\n#+ /)[1] ?? '';
    expect(undocumented(schema, section).filter((field) => field !== 'message')).toEqual([]);
  });
});

describe('docs/transcript-format.md', () => {
  it('names every field of the chain', () => {
    const missing = Object.keys(chainFields).filter((field) => !doc.includes(`\`${field}\``));
    expect(missing).toEqual([]);
  });

  it('contains no local paths', () => {
    expect(doc).not.toMatch(/\/(home|Users|work|tmp)\//);
  });
});
