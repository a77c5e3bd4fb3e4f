import { z } from 'zod';
import { openObjects, schemaDocs, UNNAMED, type VariantRule, variantRules } from './kit.ts';
import { LINE_TYPES, type LineType } from './line-types.ts';
import { LINE_SCHEMAS } from './lines.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;

interface JsonSchemaOptions {
  /** Reject types, kinds and fields that are not listed. */
  readonly strict?: boolean;
}

/** JSON Schema (draft 2020-12) of one transcript line, generated from the zod schemas. */
export function lineJsonSchema({ strict = false }: JsonSchemaOptions = {}): JsonSchema {
  const { schemas } = z.toJSONSchema(definitions(), {
    metadata: schemaDocs,
    uri: refTo,
    override: ({ zodSchema, jsonSchema }) => complete(zodSchema, jsonSchema, strict),
  });
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'One line of a Claude Code transcript',
    description: 'Generated from src/transcript/schema.',
    ...lineChoice(strict),
    $defs: Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, withoutHead(schema)])),
  };
}

/** The schema as text, one definition per line, so that diffs are readable. */
export function lineJsonSchemaText(options: JsonSchemaOptions = {}): string {
  const { $defs = {}, ...head } = lineJsonSchema(options);
  const opening = JSON.stringify(head, null, 1).slice(0, -2);
  const defs = Object.entries($defs).map(([id, schema]) => `  ${JSON.stringify(id)}: ${JSON.stringify(schema)}`);
  return `${opening},\n "$defs": {\n${defs.join(',\n')}\n }\n}\n`;
}

function refTo(id: string): string {
  return `#/$defs/${id}`;
}

/** Every named schema, and the line types that choose among several. */
function definitions(): z.core.$ZodRegistry<{ id?: string | undefined }> {
  const found = z.registry<{ id?: string | undefined }>();
  const add = (schema: z.core.$ZodType, fallback?: string): void => {
    const id = schemaDocs.get(schema)?.id ?? fallback;
    if (id !== undefined && !found.has(schema)) found.add(schema, { id });
  };
  const seen = new Set<z.core.$ZodType>();
  const visit = (schema: z.core.$ZodType): void => {
    if (seen.has(schema)) return;
    seen.add(schema);
    add(schema);
    for (const child of children(schema)) visit(child);
  };
  for (const type of LINE_TYPES) {
    add(LINE_SCHEMAS[type], type);
    visit(LINE_SCHEMAS[type]);
  }
  return found;
}

function children(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  const rule = variantRules.get(schema);
  if (rule) return [...rule.table.values()];
  const def = (schema as z.core.$ZodTypes)._zod.def;
  switch (def.type) {
    case 'object':
      return Object.values(def.shape);
    case 'array':
      return [def.element];
    case 'record':
      return [def.valueType];
    case 'optional':
    case 'nullable':
      return [def.innerType];
    case 'union':
      return def.options;
    default:
      return [];
  }
}

function complete(zodSchema: z.core.$ZodType, jsonSchema: JsonSchema, strict: boolean): void {
  const rule = variantRules.get(zodSchema);
  if (rule) jsonSchema.anyOf = variantChoice(rule, strict);
  if (jsonSchema.type === 'object' && zodSchema._zod.def.type === 'object') {
    if (strict && !openObjects.has(zodSchema)) jsonSchema.additionalProperties = false;
    else delete jsonSchema.additionalProperties;
  }
}

function variantChoice(rule: VariantRule, strict: boolean): JsonSchema[] {
  const listed = [...rule.table].map(([name, schema]) => ({
    ...requiring(rule.has.get(name)),
    $ref: refTo(schemaDocs.get(schema)?.id ?? ''),
  }));
  if (strict) return listed;
  return [...listed, rule.key === null ? noneOf(rule) : otherThan(rule.key, [...rule.table.keys()].filter(isName))];
}

function isName(name: string): boolean {
  return name !== UNNAMED;
}

function requiring(names: readonly string[] | undefined): JsonSchema {
  return names ? { required: [...names] } : {};
}

function noneOf(rule: VariantRule): JsonSchema {
  return { type: 'object', not: { anyOf: [...rule.has.values()].map(requiring) } };
}

function lineChoice(strict: boolean): { readonly anyOf: JsonSchema[] } {
  const listed = LINE_TYPES.map((type) => ({ ...typeIs(type), $ref: refTo(type) }));
  return { anyOf: strict ? listed : [...listed, otherThan('type', [...LINE_TYPES])] };
}

/** Line types with several schemas do not constrain `type` themselves. */
function typeIs(type: LineType): JsonSchema {
  return variantRules.has(LINE_SCHEMAS[type]) ? { properties: { type: { const: type } } } : {};
}

function otherThan(key: string, names: string[]): JsonSchema {
  return { type: 'object', properties: { [key]: { type: 'string', not: { enum: names } } }, required: [key] };
}

function withoutHead(schema: JsonSchema): JsonSchema {
  const { $schema: _, $id: __, ...rest } = schema;
  return rest;
}
