import { allowsType, type FieldNode, type FieldVariants, type JsonTypeName, jsonTypeOf } from './fields.ts';

/**
 * `field`: unknown field. `variant`: unknown kind. `value`: unknown value of a field with known values. `json_type`:
 * different JSON type.
 */
type StrayKind = 'field' | 'variant' | 'value' | 'json_type';

/** Step of a path: a field name, an array index, a data key, the name of a variant, or a value. */
export type Step =
  | { readonly kind: 'field' | 'key' | 'variant' | 'value'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number };

/** Called for everything missing from the table. `path` is reused: read it during the call. */
type OnStray = (kind: StrayKind, path: readonly Step[], type: JsonTypeName) => void;

/** Placeholder for an unknown object that names no kind. */
const NAMELESS = '?';
/** Maximum number of fields reported for an object that is missing from the table. */
const MAX_FIELDS_OF_UNKNOWN = 32;

interface Walk {
  readonly path: Step[];
  readonly onStray: OnStray;
}

type JsonRecord = Readonly<Record<string, unknown>>;

/**
 * Reports everything missing from the table. Descends only as deep as the table; unknown parts are named but not
 * entered.
 */
export function walkFields(node: FieldNode, value: unknown, onStray: OnStray): void {
  walkValue({ path: [], onStray }, node, value);
}

function walkValue(walk: Walk, node: FieldNode, value: unknown): void {
  const type = jsonTypeOf(value);
  if (!allowsType(node, type)) walk.onStray('json_type', walk.path, type);
  else if (type === 'object') walkObject(walk, node, value as JsonRecord);
  else if (type === 'array' && node.items) walkItems(walk, node.items, value as readonly unknown[]);
  else if (type === 'string' && node.words) walkWord(walk, node.words, value as string);
}

function walkWord(walk: Walk, words: ReadonlySet<string>, value: string): void {
  if (words.has(value)) return;
  walk.path.push({ kind: 'value', name: value });
  walk.onStray('value', walk.path, 'string');
  walk.path.pop();
}

function walkItems(walk: Walk, node: FieldNode, items: readonly unknown[]): void {
  for (const [index, item] of items.entries()) {
    walk.path.push({ kind: 'index', index });
    walkValue(walk, node, item);
    walk.path.pop();
  }
}

function walkObject(walk: Walk, node: FieldNode, object: JsonRecord): void {
  if (node.variants) walkVariant(walk, node.variants, object);
  else if (node.values) walkMap(walk, node.values, object);
  else if (node.fields) walkKnown(walk, node.fields, object, node.isOpen);
}

function walkKnown(walk: Walk, fields: ReadonlyMap<string, FieldNode>, object: JsonRecord, isOpen: boolean): void {
  for (const name of Object.keys(object)) {
    const node = fields.get(name);
    walk.path.push({ kind: 'field', name });
    if (node) walkValue(walk, node, object[name]);
    else if (!isOpen) walk.onStray('field', walk.path, jsonTypeOf(object[name]));
    walk.path.pop();
  }
}

function walkMap(walk: Walk, node: FieldNode, object: JsonRecord): void {
  for (const name of Object.keys(object)) {
    walk.path.push({ kind: 'key', name });
    walkValue(walk, node, object[name]);
    walk.path.pop();
  }
}

function walkVariant(walk: Walk, { rule, table }: FieldVariants, object: JsonRecord): void {
  const name = rule.select(object);
  const node = name === null ? undefined : table.get(name);
  walk.path.push({ kind: 'variant', name: name ?? NAMELESS });
  if (node) walkObject(walk, node, object);
  else {
    walk.onStray('variant', walk.path, 'object');
    if (rule.key === null) nameFields(walk, object);
  }
  walk.path.pop();
}

function nameFields(walk: Walk, object: JsonRecord): void {
  for (const name of Object.keys(object).slice(0, MAX_FIELDS_OF_UNKNOWN)) {
    walk.path.push({ kind: 'field', name });
    walk.onStray('field', walk.path, jsonTypeOf(object[name]));
    walk.path.pop();
  }
}
