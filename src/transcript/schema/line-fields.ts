import { compileFields, type FieldNode } from './fields.ts';
import { LINE_TYPES } from './line-types.ts';
import { LINE_SCHEMAS } from './lines.ts';

let table: ReadonlyMap<string, FieldNode> | undefined;

/** Known fields of every line type, compiled on first use. */
export function lineFields(): ReadonlyMap<string, FieldNode> {
  table ??= new Map(LINE_TYPES.map((type) => [type, compileFields(LINE_SCHEMAS[type])]));
  return table;
}
