import type { AnswerOf } from '../api/endpoint.ts';
import type { Api, Get } from '../api/table.ts';
import { MAX_PAGE_ROWS } from '../domain/requests.ts';

/** Paths of lists within a session: each page has its rows under its own key, and `next_after`. */
type PartPath =
  `/sessions/:id/${'branches' | 'compactions' | 'tool-calls' | 'subagents' | 'plans' | 'todos' | 'skills' | 'questions' | 'worktrees'}`;
type PageOf<P extends PartPath> = AnswerOf<Api[`GET ${P}`]>;
type RowOf<Page> = Exclude<Page[keyof Page], number | null> extends readonly (infer Row)[] ? Row : never;

/** All rows of such a list. */
export async function readAllParts<P extends PartPath>(
  get: Get,
  path: P,
  sessionId: string,
): Promise<RowOf<PageOf<P>>[]> {
  const all: RowOf<PageOf<P>>[] = [];
  const read = get as (path: P, input: object) => Promise<{ readonly next_after: number | null }>;
  for (let after: number | null = -1; after !== null; ) {
    const query = { after, limit: MAX_PAGE_ROWS };
    const { next_after, ...lists }: { readonly next_after: number | null } = await read(path, {
      params: { id: sessionId },
      query,
    });
    all.push(...(Object.values(lists).flat() as RowOf<PageOf<P>>[]));
    after = next_after;
  }
  return all;
}
