import { z } from 'zod';
import { DEFAULT_PAGE_ROWS, MAX_PAGE_ROWS } from '../../domain/query.ts';
import { LIFECYCLES, type Lifecycle } from '../../domain/session.ts';
import { parseQuery, plainText, sessionIdOf, wholeNumber } from '../input.ts';
import { MAX_CURSOR_CHARS, MAX_ID_CHARS } from '../limits.ts';
import type { ReadRoute } from '../route.ts';

const MAX_ORDINAL = 2_147_483_647;

function isLifecycle(word: string): word is Lifecycle {
  return (LIFECYCLES as readonly string[]).includes(word);
}

const lifecycleList = z
  .string()
  .max(MAX_ID_CHARS)
  .transform((text) => text.split(','))
  .refine(
    (words): words is Lifecycle[] => words.every(isLifecycle),
    `must be a comma-separated list of ${LIFECYCLES.join(', ')}`,
  );

const listQuery = z.strictObject({
  limit: wholeNumber(1, MAX_PAGE_ROWS).default(DEFAULT_PAGE_ROWS),
  cursor: z
    .string()
    .regex(new RegExp(`^[!-~]{1,${MAX_CURSOR_CHARS}}$`), 'is not a cursor of ours')
    .optional(),
  lifecycle: lifecycleList.optional(),
  workspace_id: plainText(MAX_ID_CHARS).optional(),
  device_id: plainText(MAX_ID_CHARS).optional(),
});

const transcriptQuery = z.strictObject({
  after: wholeNumber(-1, MAX_ORDINAL).optional(),
  limit: wholeNumber(1, MAX_PAGE_ROWS).default(MAX_PAGE_ROWS),
});

export const sessionListRoute: ReadRoute = {
  path: '/sessions',
  about: 'Sessions, newest first, one page at a time.',
  async read(context, reads) {
    const query = parseQuery(context, listQuery);
    return reads.listSessions({
      limit: query.limit,
      cursor: query.cursor,
      lifecycle: query.lifecycle,
      workspaceId: query.workspace_id,
      deviceId: query.device_id,
    });
  },
};

export const sessionRoute: ReadRoute = {
  path: '/sessions/:id',
  about: 'One session by its id or a prefix of it that fits no other, with its files, line counts and anomalies.',
  async read(context, reads) {
    parseQuery(context, z.strictObject({}));
    return reads.getSession(sessionIdOf(context));
  },
};

export const transcriptRoute: ReadRoute = {
  path: '/sessions/:id/transcript',
  about: 'Messages of a session with their blocks, in order, one page at a time.',
  async read(context, reads) {
    const query = parseQuery(context, transcriptQuery);
    return reads.getTranscript(sessionIdOf(context), query);
  },
};
