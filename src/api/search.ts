import { z } from 'zod';
import { DEFAULT_SEARCH_SESSIONS, MAX_SEARCH_CHARS, MAX_SEARCH_SESSIONS } from '../domain/search.ts';
import { searchAnswer } from './answers/search.ts';
import { type CheckedQuery, queryEndpoint } from './endpoint.ts';
import { cursor, limit, plainText } from './values.ts';

export const searchEndpoints = {
  'GET /search': queryEndpoint({
    about: 'Sessions that fit a search, best first, each with its best places.',
    query: z.strictObject({
      q: plainText(MAX_SEARCH_CHARS)
        .refine((text) => text.trim() !== '', 'must not be blank')
        .meta({ description: 'The question, in the search language.' }),
      limit: limit(MAX_SEARCH_SESSIONS, DEFAULT_SEARCH_SESSIONS),
      cursor,
    }),
    answer: searchAnswer,
  }),
};

export type SearchQuery = CheckedQuery<(typeof searchEndpoints)['GET /search']>;
