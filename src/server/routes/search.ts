import { z } from 'zod';
import { DEFAULT_SEARCH_SESSIONS, MAX_SEARCH_CHARS, MAX_SEARCH_SESSIONS } from '../../domain/search.ts';
import { parseQuery, plainText, wholeNumber } from '../input.ts';
import { MAX_CURSOR_CHARS } from '../limits.ts';
import type { ReadRoute } from '../route.ts';

const searchQuery = z.strictObject({
  q: plainText(MAX_SEARCH_CHARS).refine((text) => text.trim() !== '', 'must not be blank'),
  limit: wholeNumber(1, MAX_SEARCH_SESSIONS).default(DEFAULT_SEARCH_SESSIONS),
  cursor: plainText(MAX_CURSOR_CHARS).optional(),
});

export const searchRoute: ReadRoute = {
  path: '/search',
  about: 'Sessions that fit a search, best first, each with its best places.',
  async read(context, reads) {
    const { q, limit, cursor } = parseQuery(context, searchQuery);
    return reads.search({ query: q, limit, ...(cursor === undefined ? {} : { cursor }) });
  },
};
