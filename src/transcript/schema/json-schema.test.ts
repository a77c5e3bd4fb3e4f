import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HAS_REAL_FILES } from '../../../test/support/shared-data.ts';
import { fixtureLines, LINE_FIXTURES, realLines } from '../testing/schema-lines.ts';
import { lineJsonSchema, lineJsonSchemaText } from './json-schema.ts';

const FILE = join(import.meta.dirname, '../../../docs/transcript-schema.json');

// Rewrite the file with: UPDATE_DOCS=1 npx vitest run src/transcript/schema/json-schema.test.ts
if (process.env['UPDATE_DOCS']) writeFileSync(FILE, lineJsonSchemaText());

describe('docs/transcript-schema.json', () => {
  it('is up to date (else: UPDATE_DOCS=1 npx vitest run src/transcript/schema/json-schema.test.ts)', () => {
    expect(readFileSync(FILE, 'utf8') === lineJsonSchemaText()).toBe(true);
    expect(JSON.parse(readFileSync(FILE, 'utf8'))).toEqual(lineJsonSchema());
  });

  it('refers only to existing definitions and uses all of them', () => {
    const text = lineJsonSchemaText();
    const used = new Set([...text.matchAll(/"\$ref":\s?"#\/\$defs\/([^"]*)"/g)].map((match) => match[1]));
    expect(used).toEqual(new Set(Object.keys(lineJsonSchema().$defs ?? {})));
  });
});

const envelope = { uuid: 'u', sessionId: 's', timestamp: 't' };
const user = { ...envelope, type: 'user', message: { role: 'user', content: 'hello' } };

describe.each([{ strict: false }, { strict: true }])('JSON Schema, strict: $strict', (options) => {
  const accepts = checker(lineJsonSchema(options));

  it.each(LINE_FIXTURES)('accepts every line of %s', (name) => {
    expect(fixtureLines(name).filter((line) => !accepts(line))).toEqual([]);
  });

  it.each([
    { type: 'user', subtype: 'brand_new' },
    { type: 'user', operation: 'shuffle' },
    { type: 'summary', summary: 5 },
    { ...user, message: { content: [{ type: 'text' }] } },
    { ...user, toolUseResult: 7 },
    { ...user, toolUseResult: { stdout: 1, interrupted: false } },
    'text',
  ])('rejects %j', (line) => {
    expect(accepts(line)).toBe(false);
  });

  it.each([
    { type: 'brand-new' },
    { ...user, fresh: 1 },
    { ...envelope, type: 'system', subtype: 'brand_new' },
    { ...user, message: { content: [{ type: 'hologram' }] } },
    { ...user, toolUseResult: { brand: 'new' } },
  ])('accepts unknown values unless strict: %j', (line) => {
    expect(accepts(line)).toBe(!options.strict);
  });

  it.runIf(HAS_REAL_FILES)('accepts the real lines', () => {
    const refused = [...realLines()]
      .filter(({ file }, index) => index % 5 === 0 && !file.endsWith('history.jsonl'))
      .flatMap(({ file, value }) => (accepts(value) ? [] : [file]));
    expect(refused).toEqual([]);
  });
});

type Schema = { readonly [key: string]: unknown };

/** A minimal JSON Schema validator for the keywords our schema uses; must not share code with zod. */
function checker(root: Schema): (value: unknown) => boolean {
  const defs = root['$defs'] as Readonly<Record<string, Schema>>;
  const words: Readonly<Record<string, (rule: never, value: unknown, schema: Schema) => boolean>> = {
    $ref: (ref: string, value) => check(defs[ref.slice('#/$defs/'.length)] as Schema, value),
    anyOf: (options: Schema[], value) => options.some((option) => check(option, value)),
    not: (schema: Schema, value) => !check(schema, value),
    const: (wanted: unknown, value) => value === wanted,
    enum: (wanted: unknown[], value) => wanted.includes(value),
    type: (types: string | string[], value) => [types].flat().includes(typeName(value)),
    items: (schema: Schema, value) => !Array.isArray(value) || value.every((item) => check(schema, item)),
    required: (names: string[], value) => !isObject(value) || names.every((name) => Object.hasOwn(value, name)),
    properties: (shape: Record<string, Schema>, value) =>
      !isObject(value) ||
      Object.entries(shape).every(([name, schema]) => !Object.hasOwn(value, name) || check(schema, value[name])),
    additionalProperties: (rule: Schema | false, value, { properties = {} }) =>
      !isObject(value) ||
      Object.keys(value)
        .filter((name) => !Object.hasOwn(properties as object, name))
        .every((name) => rule !== false && check(rule, value[name])),
    propertyNames: () => true,
  };
  const notes = new Set(['$schema', '$defs', 'title', 'description', 'examples']);
  function check(schema: Schema, value: unknown): boolean {
    return Object.entries(schema).every(([word, rule]) => {
      if (notes.has(word)) return true;
      const rules = words[word];
      if (!rules) throw new Error(`The schema uses ${word}, which this test does not know.`);
      return rules(rule as never, value, schema);
    });
  }
  return (value) => check(root, value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeName(value) === 'object';
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
