import type { Queries } from '../../../src/app/queries.ts';
import type { PartRows } from '../../../src/reading/parts.ts';

type PartQueries = Pick<
  Queries,
  | 'GET /sessions/:id/tool-calls'
  | 'GET /sessions/:id/subagents'
  | 'GET /sessions/:id/compactions'
  | 'GET /sessions/:id/branches'
>;

/** Queries for the parts of a session, with the columns that are shown. */
export function partQueries(rows: Partial<PartRows>): PartQueries {
  const page = (name: keyof PartRows) => async () => ({ [name]: rows[name] ?? [], next_after: null }) as never;
  return {
    'GET /sessions/:id/tool-calls': page('tool_calls'),
    'GET /sessions/:id/subagents': page('subagents'),
    'GET /sessions/:id/compactions': page('compactions'),
    'GET /sessions/:id/branches': page('branches'),
  };
}
