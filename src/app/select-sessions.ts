import type { SessionFilters } from '../api/sessions.ts';
import { fieldsOf, type FieldNode, type SearchNode, type SessionSelection } from '../domain/search.ts';
import { type FieldOptions } from '../search/field-node.ts';
import { fieldQuery, filterNode } from '../search/session-question.ts';
import type { Tx } from '../store/engine.ts';
import { resolveNames } from '../store/queries/sessions/resolve-names.ts';

/** The sessions that the filters of a request describe. Errors: usage, bad_query; not_found for a workspace or device. */
export async function selectSessions(db: Tx, filters: SessionFilters, now: Date): Promise<SessionSelection> {
  const { named, asked } = readFilters(filters, { now });
  const nodes = [
    named === null ? null : await resolveNames(db, named, { mustExist: true }),
    asked === null ? null : await resolveNames(db, asked, { mustExist: false }),
  ];
  return { where: joinAll(nodes), all: filters.all };
}

/** Checks filters before anything is opened, and returns their fields. Errors: usage, bad_query. */
export function checkFilters(filters: SessionFilters, options: FieldOptions): readonly FieldNode[] {
  const { named, asked } = readFilters(filters, options);
  return [named, asked].flatMap((node) => (node === null ? [] : fieldsOf(node)));
}

function readFilters({ q, zone, ...filters }: SessionFilters, options: FieldOptions) {
  const dates = { ...options, zone };
  return { named: filterNode(filters, dates), asked: q === undefined ? null : fieldQuery(q, dates) };
}

/** One flat conjunction, so that fields of calls stand side by side. */
function joinAll(nodes: readonly (SearchNode | null)[]): SearchNode | null {
  const all = nodes.flatMap((node) => (node === null ? [] : node.kind === 'all' ? node.nodes : [node]));
  const [first] = all;
  return first === undefined || all.length === 1 ? (first ?? null) : { kind: 'all', nodes: all };
}
