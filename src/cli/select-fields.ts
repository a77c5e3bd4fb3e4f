import { FuelError } from '../domain/errors.ts';
import { isJsonObject } from '../domain/json.ts';
import { didYouMean } from '../lib/nearest.ts';
import type { ParsedArguments } from './command.ts';

type Row = Readonly<Record<string, unknown>>;

/** Returns true for a field, by its full name, that some rows do not have; it is null there. */
export type MayLack = (field: string) => boolean;

const NEVER: MayLack = () => false;

/** The names given with `--fields`, or null. Errors: usage without a name. */
export function readFields({ values }: ParsedArguments): readonly string[] | null {
  const given = values.get('fields');
  if (given === undefined) return null;
  const names = given
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 0) {
    throw new FuelError('usage', '--fields must name at least one field, for example --fields id,title.');
  }
  return [...new Set(names)];
}

/**
 * A row with only these fields; `work.commits` keeps its place within `work`, `hits.kind` in every item of `hits`.
 * Errors: usage for an unknown field.
 */
export function selectFields(row: object, fields: readonly string[], mayLack: MayLack = NEVER): Row {
  return pick(row, treeOf(fields), '', { row, mayLack }) as Row;
}

/** The value of a field, null within something that is null, a list for a field of the items of a list. Errors: usage. */
export function valueAt(row: object, field: string, mayLack: MayLack = NEVER): unknown {
  return dig(selectFields(row, [field], mayLack), field.split('.'));
}

/** Names within names; an empty map means the whole value. */
type Tree = Map<string, Tree>;

function treeOf(fields: readonly string[]): Tree {
  const tree: Tree = new Map();
  const whole = new Set(fields);
  for (const field of fields) {
    const path = field.split('.');
    if (path.some((_, at) => at > 0 && whole.has(path.slice(0, at).join('.')))) continue;
    let inner = tree;
    for (const name of path) {
      const next: Tree = inner.get(name) ?? new Map();
      inner.set(name, next);
      inner = next;
    }
  }
  return tree;
}

interface Picking {
  readonly row: object;
  readonly mayLack: MayLack;
}

function pick(value: unknown, tree: Tree, path: string, picking: Picking): unknown {
  if (tree.size === 0) return value;
  if (Array.isArray(value)) return value.map((item) => pick(item, tree, path, picking));
  const selected: Record<string, unknown> = {};
  for (const [name, inner] of tree) {
    const field = path === '' ? name : `${path}.${name}`;
    selected[name] = pick(memberOf(value, name, field, picking), inner, field, picking);
  }
  return selected;
}

function memberOf(value: unknown, name: string, field: string, { row, mayLack }: Picking): unknown {
  if (value === null) return null;
  if (typeof value === 'object' && value !== undefined && Object.hasOwn(value, name)) return (value as Row)[name];
  if (mayLack(field)) return null;
  throw unknownField(row, field);
}

function dig(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => dig(item, [name, ...rest]));
  return dig((value as Row)[name], rest);
}

function unknownField(row: object, field: string): FuelError {
  const known = namesIn(row);
  return new FuelError('usage', `Unknown field ${JSON.stringify(field)}.`, {
    hint: `${didYouMean(field, known)}Fields: ${known.join(', ')}.`,
  });
}

/** Names of fields, with those within objects and within the items of lists. */
function namesIn(row: object, prefix = ''): readonly string[] {
  return Object.entries(row).flatMap(([name, value]: [string, unknown]) => {
    const own = `${prefix}${name}`;
    const inner: unknown = Array.isArray(value) ? value[0] : value;
    return isJsonObject(inner) && prefix === '' ? [own, ...namesIn(inner, `${own}.`)] : [own];
  });
}
