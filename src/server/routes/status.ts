import { z } from 'zod';
import { parseQuery } from '../input.ts';
import type { ReadRoute } from '../route.ts';

export const statusRoute: ReadRoute = {
  path: '/status',
  about: 'What is kept, where, and how far the import is.',
  async read(context, reads) {
    parseQuery(context, z.strictObject({}));
    return reads.status();
  },
};
