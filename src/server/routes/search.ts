import { z } from 'zod';
import { parseQuery, plainText, wholeNumber } from '../input.ts';
import { DEFAULT_SEARCH_HITS, MAX_QUERY_CHARS, MAX_SEARCH_HITS } from '../limits.ts';
import type { ReadRoute } from '../route.ts';

const searchQuery = z.strictObject({
  q: plainText(MAX_QUERY_CHARS).refine((text) => text.trim() !== '', 'must not be blank'),
  limit: wholeNumber(1, MAX_SEARCH_HITS).default(DEFAULT_SEARCH_HITS),
});

export const searchRoute: ReadRoute = {
  path: '/search',
  about: 'Messages that contain all the words, best first.',
  async read(context, reads) {
    const { q, limit } = parseQuery(context, searchQuery);
    return { hits: await reads.search(q.trim(), limit) };
  },
};
