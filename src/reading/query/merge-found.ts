import type { FoundSession } from '../../api/search.ts';

/** The sessions of several pages; matches of the same session on a later page are added to it. */
export function mergeFound(pages: readonly { readonly sessions: readonly FoundSession[] }[]): readonly FoundSession[] {
  const byId = new Map<string, FoundSession>();
  for (const session of pages.flatMap(({ sessions }) => sessions)) {
    const known = byId.get(session.session_id);
    byId.set(
      session.session_id,
      known === undefined
        ? session
        : { ...known, places: known.places + session.places, hits: [...known.hits, ...session.hits] },
    );
  }
  return [...byId.values()];
}
