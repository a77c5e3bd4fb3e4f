import type { z } from 'zod';
import { knownWords, openObjects, type VariantRule, variantRules } from './kit.ts';

export type JsonTypeName = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';

const NULL = 1;
const BOOLEAN = 2;
const NUMBER = 4;
const STRING = 8;
const ARRAY = 16;
const OBJECT = 32;
const ANY_TYPE = 63;

const TYPE_BIT: Readonly<Record<JsonTypeName, number>> = {
  null: NULL,
  boolean: BOOLEAN,
  number: NUMBER,
  string: STRING,
  array: ARRAY,
  object: OBJECT,
};

/** What a schema allows at one place of a line: enough to find unknown fields without running zod. */
export interface FieldNode {
  /** Bit set of the JSON types the schema allows. */
  readonly types: number;
  /** Known fields of an object; null if any field is allowed. */
  readonly fields: ReadonlyMap<string, FieldNode> | null;
  /** True if unlisted fields are expected. */
  readonly isOpen: boolean;
  /** Known values of a string; null if any text is allowed. */
  readonly words: ReadonlySet<string> | null;
  /** Entries of an array; null if anything is allowed. */
  readonly items: FieldNode | null;
  /** Values of an object whose keys are data, such as file paths. */
  readonly values: FieldNode | null;
  readonly variants: FieldVariants | null;
}

export interface FieldVariants {
  readonly rule: VariantRule;
  readonly table: ReadonlyMap<string, FieldNode>;
}

type JsonRecord = Readonly<Record<string, unknown>>;

const ANYTHING: FieldNode = {
  types: ANY_TYPE,
  fields: null,
  isOpen: false,
  words: null,
  items: null,
  values: null,
  variants: null,
};
const NOTHING: FieldNode = { ...ANYTHING, types: 0 };

export function jsonTypeOf(value: unknown): JsonTypeName {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'object';
}

export function allowsType(node: FieldNode, type: JsonTypeName): boolean {
  return (node.types & TYPE_BIT[type]) !== 0;
}

/** Whether the table knows every part of the value. Hot path of the drift count: no paths, no allocation. */
export function knowsAll(node: FieldNode, value: unknown): boolean {
  if (typeof value === 'string') return (node.types & STRING) !== 0 && (node.words === null || node.words.has(value));
  if (typeof value !== 'object' || value === null) return (node.types & plainBit(value)) !== 0;
  if (Array.isArray(value)) return (node.types & ARRAY) !== 0 && knowsItems(node.items, value);
  return (node.types & OBJECT) !== 0 && knowsObject(node, value as JsonRecord);
}

function plainBit(value: unknown): number {
  if (typeof value === 'number') return NUMBER;
  return typeof value === 'boolean' ? BOOLEAN : NULL;
}

function knowsItems(node: FieldNode | null, items: readonly unknown[]): boolean {
  if (!node) return true;
  for (let index = 0; index < items.length; index++) if (!knowsAll(node, items[index])) return false;
  return true;
}

function knowsObject(node: FieldNode, object: JsonRecord): boolean {
  if (node.variants) {
    const name = node.variants.rule.select(object);
    const variant = name === null ? undefined : node.variants.table.get(name);
    return variant !== undefined && knowsObject(variant, object);
  }
  if (node.fields) return knowsFields(node.fields, object, node.isOpen);
  return !node.values || knowsValues(node.values, object);
}

function knowsFields(fields: ReadonlyMap<string, FieldNode>, object: JsonRecord, isOpen: boolean): boolean {
  for (const name in object) {
    const node = fields.get(name);
    if (node ? !knowsAll(node, object[name]) : !isOpen) return false;
  }
  return true;
}

function knowsValues(node: FieldNode, object: JsonRecord): boolean {
  for (const name in object) if (!knowsAll(node, object[name])) return false;
  return true;
}

/** The field table of a schema. Compile once and keep the result: it walks the whole schema. */
export function compileFields(schema: z.core.$ZodType): FieldNode {
  return compile(schema, new Map());
}

type Seen = Map<z.core.$ZodType, FieldNode>;

function compile(schema: z.core.$ZodType, seen: Seen): FieldNode {
  const known = seen.get(schema);
  if (known) return known;
  const node = build(schema, seen);
  seen.set(schema, node);
  return node;
}

function build(schema: z.core.$ZodType, seen: Seen): FieldNode {
  const rule = variantRules.get(schema);
  if (rule) return variantNode(rule, seen);
  const def = (schema as z.core.$ZodTypes)._zod.def;
  switch (def.type) {
    case 'string':
      return { ...ANYTHING, types: STRING, words: knownWords.get(schema) ?? null };
    case 'number':
    case 'boolean':
    case 'null':
      return { ...ANYTHING, types: TYPE_BIT[def.type] };
    case 'literal':
      return { ...ANYTHING, types: def.values.reduce<number>((bits, value) => bits | TYPE_BIT[jsonTypeOf(value)], 0) };
    case 'object':
      return { ...ANYTHING, types: OBJECT, fields: objectFields(def.shape, seen), isOpen: openObjects.has(schema) };
    case 'array':
      return { ...ANYTHING, types: ARRAY, items: compile(def.element, seen) };
    case 'record':
      return { ...ANYTHING, types: OBJECT, values: compile(def.valueType, seen) };
    case 'optional':
      return compile(def.innerType, seen);
    case 'nullable':
      return withNull(compile(def.innerType, seen));
    case 'union':
      return def.options.map((option) => compile(option, seen)).reduce(merge, NOTHING);
    default:
      return ANYTHING;
  }
}

function objectFields(shape: z.core.$ZodLooseShape, seen: Seen): FieldNode['fields'] {
  return new Map(Object.entries(shape).map(([name, field]) => [name, compile(field as z.core.$ZodType, seen)]));
}

function variantNode(rule: VariantRule, seen: Seen): FieldNode {
  const table = new Map([...rule.table].map(([name, schema]) => [name, compile(schema, seen)]));
  return { ...ANYTHING, types: OBJECT, variants: { rule, table } };
}

function withNull(node: FieldNode): FieldNode {
  return { ...node, types: node.types | NULL };
}

/** Union of two nodes. If both describe objects, an object may have the fields of both. */
function merge(a: FieldNode, b: FieldNode): FieldNode {
  const both = a.types & b.types;
  const common = { types: a.types | b.types, items: items(a, b), words: words(a, b) };
  if (both & OBJECT) return { ...ANYTHING, ...common, fields: shared(a, b), isOpen: a.isOpen || b.isOpen };
  const object = a.types & OBJECT ? a : b;
  return { ...object, ...common };
}

function words(a: FieldNode, b: FieldNode): FieldNode['words'] {
  const inA = (a.types & STRING) !== 0;
  const inB = (b.types & STRING) !== 0;
  if (inA && inB) return a.words && b.words ? a.words.union(b.words) : null;
  return inA ? a.words : b.words;
}

function items(a: FieldNode, b: FieldNode): FieldNode | null {
  const inA = (a.types & ARRAY) !== 0;
  const inB = (b.types & ARRAY) !== 0;
  if (inA && inB) return a.items && b.items ? merge(a.items, b.items) : null;
  return inA ? a.items : b.items;
}

function shared(a: FieldNode, b: FieldNode): FieldNode['fields'] {
  if (!a.fields || !b.fields) return null;
  const fields = new Map(a.fields);
  for (const [name, node] of b.fields) {
    const other = fields.get(name);
    fields.set(name, other ? merge(other, node) : node);
  }
  return fields;
}
