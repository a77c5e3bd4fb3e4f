import { z } from 'zod';
import { DEFAULT_PAGE_ROWS, MAX_PAGE_ROWS } from '../domain/page-rows.ts';
import { MAX_SEARCH_CHARS } from '../domain/search.ts';
import { FIELD_PARAMETERS, type FieldParameter, findField } from '../domain/session-fields.ts';
import { SESSION_ID_PATTERN } from '../domain/session.ts';
import { eventPage, gitPage, stepList } from './answers/around.ts';
import { batchStatus, sessionDetail, sessionPage } from './answers/session.ts';
import { sessionUsage } from './answers/usage.ts';
import { type CheckedQuery, queryEndpoint } from './endpoint.ts';
import { MAX_BATCH_IDS, MAX_EVENT_ROWS, MAX_GIT_ROWS, MAX_QUERY_CHARS } from './limits.ts';
import { cursor, flag, limit, plainText, zone } from './values.ts';

function describe(parameter: string): string {
  const { name, field, comparison } = findField(parameter) as NonNullable<ReturnType<typeof findField>>;
  if (parameter !== name) return `The same as \`${name}${comparison === '' ? '' : `=${comparison}`}…\`.`;
  const values = Object.keys(field.values ?? {}).join(', ');
  return `${field.about}${values === '' ? '' : ` Comma-separated: ${values}.`}`;
}

/** Every field of the search language is a parameter; src/search/field-node.ts parses the values. */
const fieldFilters = Object.fromEntries(
  FIELD_PARAMETERS.map((parameter) => [
    parameter,
    plainText(MAX_QUERY_CHARS)
      .optional()
      .meta({ description: describe(parameter) }),
  ]),
) as Record<FieldParameter, z.ZodOptional<z.ZodString>>;

/** Session filters, shared by every endpoint that takes them. */
export const sessionFilters = {
  q: plainText(MAX_SEARCH_CHARS)
    .optional()
    .meta({ description: 'Fields in the search language, such as `model:opus has:commit -is:pinned`; no words.' }),
  ...fieldFilters,
  zone: zone.optional().meta({ description: 'Time zone of dates (default: the zone of the server).' }),
  all: flag.optional().meta({ description: '`true` includes sessions without a prompt.' }),
} as const;

export const sessionEndpoints = {
  'GET /sessions': queryEndpoint({
    about: 'Sessions, newest first, one page at a time. Filters are combined with AND.',
    query: z.strictObject({ limit: limit(MAX_PAGE_ROWS, DEFAULT_PAGE_ROWS), cursor, ...sessionFilters }),
    answer: sessionPage,
  }),
  'POST /sessions/batch-status': queryEndpoint({
    about: 'The states of many sessions at once.',
    body: z.strictObject({
      session_ids: z.array(z.string().regex(SESSION_ID_PATTERN, 'is not a session id')).max(MAX_BATCH_IDS),
    }),
    answer: batchStatus,
  }),
  'GET /sessions/:id': queryEndpoint({
    about: 'One session by id or unique prefix, with its files, line counts and anomalies.',
    answer: sessionDetail,
  }),
  'GET /sessions/:id/events': queryEndpoint({
    about: 'Hook events of a session, in chronological order.',
    query: z.strictObject({ limit: limit(MAX_EVENT_ROWS, MAX_PAGE_ROWS), cursor }),
    answer: eventPage,
  }),
  'GET /sessions/:id/git': queryEndpoint({
    about: 'Git activity during a session, in chronological order.',
    query: z.strictObject({ limit: limit(MAX_GIT_ROWS, MAX_GIT_ROWS), cursor }),
    answer: gitPage,
  }),
  'GET /sessions/:id/steps': queryEndpoint({
    about: 'Results of the last processing steps of a session.',
    answer: stepList,
  }),
  'GET /sessions/:id/usage': queryEndpoint({
    about: 'Tokens and cost of a session by model. Messages counted in another session are not counted again.',
    answer: sessionUsage,
  }),
};

export type SessionsQuery = CheckedQuery<(typeof sessionEndpoints)['GET /sessions']>;
export type SessionFilters = Omit<SessionsQuery, 'limit' | 'cursor'>;
