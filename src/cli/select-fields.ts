import { FuelError } from '../domain/errors.ts';
import { nearest } from '../lib/nearest.ts';
import type { ParsedArguments } from './command.ts';

type Row = Readonly<Record<string, unknown>>;

/** The names given with `--fields`, or null. Errors: usage without a format for programs, or without a name. */
export function readFields({ flags, values }: ParsedArguments): readonly string[] | null {
  const given = values.get('fields');
  if (given === undefined) return null;
  const names = given
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 0) {
    throw new FuelError('usage', '--fields must name at least one field, for example --fields id,title.');
  }
  if (!['json', 'ndjson', 'csv'].some((format) => flags.has(format))) {
    throw new FuelError('usage', '--fields requires --json, --ndjson or --csv.');
  }
  return [...new Set(names)];
}

/** A row with only these fields; `work.commits` keeps its place within `work`. Errors: usage for an unknown field. */
export function selectFields(row: object, fields: readonly string[]): Row {
  const selected: Record<string, unknown> = {};
  for (const field of fields) {
    const path = field.split('.');
    const value = valueAt(row, field);
    let inner = selected;
    for (const name of path.slice(0, -1)) {
      inner[name] ??= {};
      inner = inner[name] as Record<string, unknown>;
    }
    inner[path.at(-1) ?? ''] = value;
  }
  return selected;
}

/** The value of a field, null within something that is null. Errors: usage. */
export function valueAt(row: object, field: string): unknown {
  let value: unknown = row;
  for (const name of field.split('.')) {
    if (value === null) return null;
    if (typeof value !== 'object' || !Object.hasOwn(value, name)) throw unknownField(row, field);
    value = (value as Row)[name];
  }
  return value;
}

function unknownField(row: object, field: string): FuelError {
  const known = namesIn(row);
  const [near] = nearest(field, known);
  return new FuelError('usage', `Unknown field ${JSON.stringify(field)}.`, {
    hint: `${near === undefined ? '' : `Did you mean ${near}? `}Fields: ${known.join(', ')}.`,
  });
}

/** Names of fields, with those within objects. */
function namesIn(row: object, prefix = ''): readonly string[] {
  return Object.entries(row).flatMap(([name, value]: [string, unknown]) => {
    const own = `${prefix}${name}`;
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value) && prefix === '';
    return isObject ? [own, ...namesIn(value, `${own}.`)] : [own];
  });
}
