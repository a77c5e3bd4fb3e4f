interface Page {
  readonly next_cursor: string | null;
}

/** Fetches all pages. */
export async function* allPages<P extends Page>(fetch: (cursor: string | undefined) => Promise<P>): AsyncGenerator<P> {
  let cursor: string | undefined;
  do {
    const page = await fetch(cursor);
    yield page;
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
}
