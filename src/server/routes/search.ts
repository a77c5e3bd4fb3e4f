import type { searchEndpoints } from '../../api/search.ts';
import type { Handlers } from '../route.ts';

export const searchHandlers: Handlers<typeof searchEndpoints> = {
  'GET /search': ({ query: { q, ...page } }, { reads }) => reads.search({ query: q, ...page }),
};
