import { FuelError } from '../domain/errors.ts';
import { FIELD_PARAMETERS, type FieldParameter, findField } from '../domain/session-fields.ts';
import type { SearchNode } from '../domain/search.ts';
import type { DateOptions } from '../lib/dates.ts';
import { fieldNode, type FieldOptions, splitComparison } from './field-node.ts';
import { parseQuery } from './parse-query.ts';

type Filters = { readonly [P in FieldParameter]?: string | undefined };

/** Filters given as named fields; all must match. Null if there are none. Errors: usage, with the name of the field. */
export function filterNode(filters: Filters, options: FieldOptions): SearchNode | null {
  const nodes = FIELD_PARAMETERS.flatMap((parameter) => {
    const text = filters[parameter];
    const found = findField(parameter);
    if (text === undefined || found === null) return [];
    const [sign, value] = splitComparison(found.name, text);
    return [fieldNode(found.name, found.comparison || sign, value, options)];
  });
  const [first, ...more] = nodes;
  return first === undefined || more.length === 0 ? (first ?? null) : { kind: 'all', nodes };
}

/** A search that consists of fields only. Errors: bad_query, also for words. */
export function fieldQuery(text: string, options: DateOptions): SearchNode {
  const node = parseQuery(text, options);
  if (!hasText(node)) return node;
  throw new FuelError('bad_query', 'Sessions are filtered by fields, and this contains words.', {
    hint: 'Use `fuel-code search` (GET /api/search) to find words; put title: before words of the title.',
    position: 0,
  });
}

/** Whether a search contains words or patterns; otherwise it is about whole sessions. */
export function hasText(node: SearchNode): boolean {
  if (node.kind === 'all' || node.kind === 'any') return node.nodes.some(hasText);
  return node.kind === 'not' ? hasText(node.node) : node.kind !== 'field';
}
