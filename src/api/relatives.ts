import { z } from 'zod';
import { queryEndpoint, shape } from './endpoint.ts';
import { count, countOrNull, text, textOrNull } from './values.ts';

const relative = shape(
  'Relative',
  z.strictObject({
    session_id: text,
    kind: text.describe(
      'forked, branched, shared, copied, cleared, continued or planned; `forked_context` of an agent.',
    ),
    is_origin: z.boolean().describe('True: this session comes from the other one. False: the other one from this.'),
    title: textOrNull.describe('Null if the other session is not stored.'),
    is_deleted: z.boolean().describe('The other session was deleted.'),
    started_at: textOrNull,
    lines: count.describe('Lines that both have.'),
    at_ordinal: countOrNull.describe('The last message here that both have.'),
  }),
);
export type Relative = z.infer<typeof relative>;

/** Sessions that began as a copy of another one, or went on in another one. */
export const relativeEndpoints = {
  'GET /sessions/:id/relatives': queryEndpoint({
    about: 'Sessions that this one comes from or that come from it, with the point where they diverge.',
    answer: z.strictObject({ relatives: z.array(relative).readonly() }),
  }),
};
