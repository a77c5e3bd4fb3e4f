import { z } from 'zod';

/** Metadata for the JSON Schema; a schema with an `id` becomes a separate definition. */
interface SchemaDoc {
  readonly id?: string;
  readonly description?: string;
  readonly examples?: readonly string[];
}

export const schemaDocs = z.registry<SchemaDoc>();

/** Objects whose fields are only partly known; extra fields there are expected, not drift. */
export const openObjects = new WeakSet<z.core.$ZodType>();

/** Selects the schema that describes a value. */
export interface VariantRule {
  /** The field that names the variant; null if the variant is recognized by its fields. */
  readonly key: string | null;
  /** Name of the variant, possibly missing from the table; null if the value names none. */
  readonly select: (value: Readonly<Record<string, unknown>>) => string | null;
  readonly table: ReadonlyMap<string, z.ZodType>;
  /** Fields that identify a variant if no field names it. */
  readonly has: ReadonlyMap<string, readonly string[]>;
}

/** Schemas made by `variantsBy` and `variantsByShape`, with their rule; used by the field table and the JSON Schema. */
export const variantRules = new WeakMap<z.core.$ZodType, VariantRule>();

/** Name of the variant for values that lack the naming field. */
export const UNNAMED = '';

export const str = z.string();
export const num = z.number();
export const bool = z.boolean();
export const strs = z.array(z.string());
/** Content that is not described: anything is accepted, nothing below it is drift. */
export const anything = z.unknown();

/** Older and newer versions omit most fields, and some exporters write null for a missing one. */
export function opt<S extends z.ZodType>(schema: S): z.ZodOptional<z.ZodNullable<S>> {
  return schema.nullish();
}

type Optional<S extends z.ZodType> = ReturnType<typeof opt<S>>;

/** Several optional fields of the same type. */
export function opts<S extends z.ZodType, K extends string>(
  schema: S,
  ...names: readonly K[]
): { [Name in K]: Optional<S> } {
  return Object.fromEntries(names.map((name) => [name, opt(schema)])) as { [Name in K]: Optional<S> };
}

/** Strings with a list of known values. */
export const knownWords = new WeakMap<z.core.$ZodType, ReadonlySet<string>>();

/** A string with some known values. Others are accepted, because every version adds some, and count as drift. */
export function word(...known: string[]): z.ZodString {
  const schema = z.string();
  schemaDocs.add(schema, { examples: known.filter((value) => value !== '') });
  knownWords.set(schema, new Set(known));
  return schema;
}

/** An object with the given fields; additional ones are kept and count as drift. */
export function fields<S extends z.core.$ZodLooseShape>(
  shape: S,
): z.ZodObject<z.core.util.Writeable<S>, z.core.$loose> {
  return z.looseObject(shape);
}

/** An object of which only some fields are known. */
export function openFields<S extends z.core.$ZodLooseShape>(
  shape: S,
): z.ZodObject<z.core.util.Writeable<S>, z.core.$loose> {
  const schema = z.looseObject(shape);
  openObjects.add(schema);
  return schema;
}

/** Sets the name and description of a schema in the JSON Schema. */
export function named<S extends z.ZodType>(id: string, description: string, schema: S): S {
  schemaDocs.add(schema, { id, description });
  return schema;
}

type VariantTable = Readonly<Record<string, z.ZodType>>;
type OneOf<T extends VariantTable> = z.infer<T[keyof T]>;

/**
 * Objects distinguished by the value of one field. A name outside the table is accepted, since every version adds
 * kinds. `unnamed` describes objects without that field; if it is omitted, they are an error.
 */
export function variantsBy<T extends VariantTable>(key: string, table: T, unnamed?: z.ZodType): z.ZodType<OneOf<T>> {
  const all = new Map<string, z.ZodType>(Object.entries(table));
  if (unnamed) all.set(UNNAMED, unnamed);
  const select = (value: Readonly<Record<string, unknown>>): string | null => {
    const name = value[key];
    if (name === undefined || name === null) return unnamed ? UNNAMED : null;
    return typeof name === 'string' ? name : null;
  };
  return variants({ key, select, table: all, has: new Map() }, unnamed !== undefined) as z.ZodType<OneOf<T>>;
}

/** A shape recognized by the fields it always has. */
export interface Shape {
  readonly has: readonly string[];
  readonly schema: z.ZodType;
}

/** Objects distinguished by their fields: the first matching shape of the table. Accepted if no shape matches. */
export function variantsByShape<T extends Readonly<Record<string, Shape>>>(
  table: T,
): z.ZodType<z.infer<T[keyof T]['schema']>> {
  const shapes = Object.entries(table);
  const select = (value: Readonly<Record<string, unknown>>): string | null =>
    shapes.find(([, shape]) => shape.has.every((field) => Object.hasOwn(value, field)))?.[0] ?? null;
  const all = new Map(shapes.map(([name, shape]) => [name, shape.schema]));
  const has = new Map(shapes.map(([name, shape]) => [name, shape.has]));
  return variants({ key: null, select, table: all, has }, true) as z.ZodType<z.infer<T[keyof T]['schema']>>;
}

function variants(rule: VariantRule, mayBeUnnamed: boolean): z.ZodType {
  const schema = z.unknown().check((ctx) => {
    const { value } = ctx;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      ctx.issues.push({ code: 'invalid_type', expected: 'object', input: value });
      return;
    }
    const object = value as Readonly<Record<string, unknown>>;
    const name = rule.select(object);
    const found = name === null ? undefined : rule.table.get(name);
    if (found) copyIssues(found, object, ctx.issues);
    else if (rule.key !== null && !mayBeUnnamed && typeof object[rule.key] !== 'string') {
      ctx.issues.push({ code: 'invalid_type', expected: 'string', input: object[rule.key], path: [rule.key] });
    }
  });
  variantRules.set(schema, rule);
  return schema;
}

function copyIssues(schema: z.ZodType, input: unknown, issues: z.core.$ZodRawIssue[]): void {
  const result = schema.safeParse(input);
  for (const issue of result.error?.issues ?? []) issues.push({ ...issue, input } as z.core.$ZodRawIssue);
}

/** An attachment kind whose fields are known. */
export function kind<const T extends string, S extends z.core.$ZodLooseShape>(type: T, description: string, shape: S) {
  return named(`attachment.${type}`, description, fields({ type: z.literal(type), ...shape }));
}

/** An attachment kind known by name, with the fields seen so far. */
export function openKind<const T extends string, S extends z.core.$ZodLooseShape>(
  type: T,
  description: string,
  shape: S,
) {
  return named(`attachment.${type}`, description, openFields({ type: z.literal(type), ...shape }));
}

type Loose = z.core.$ZodLooseShape;

/** A result recognized by the fields in `has`. */
export function result<S extends Loose>(name: string, description: string, has: readonly string[], shape: S) {
  return { has, schema: named(`result.${name}`, description, fields(shape)) } satisfies Shape;
}

/** A result of which only some fields are known. */
export function openResult<S extends Loose>(name: string, description: string, has: readonly string[], shape: S) {
  return { has, schema: named(`result.${name}`, description, openFields(shape)) } satisfies Shape;
}
