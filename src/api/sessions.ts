import { z } from 'zod';
import { DEFAULT_PAGE_ROWS, MAX_PAGE_ROWS } from '../domain/page-rows.ts';
import { HAS_WORDS, IS_WORDS } from '../domain/session-words.ts';
import { LIFECYCLES, PARSE_STATUSES, SESSION_ID_PATTERN } from '../domain/session.ts';
import { eventPage, gitPage, stepList } from './answers/around.ts';
import { batchStatus, sessionDetail, sessionPage } from './answers/session.ts';
import { sessionUsage } from './answers/usage.ts';
import { type CheckedQuery, queryEndpoint } from './endpoint.ts';
import { MAX_BATCH_IDS, MAX_EVENT_ROWS, MAX_GIT_ROWS, MAX_ID_CHARS, MAX_QUERY_CHARS } from './limits.ts';
import { cursor, dollars, flag, limit, plainText, time, words } from './values.ts';

const name = (about: string) => plainText(MAX_ID_CHARS).optional().meta({ description: about });
const day = (about: string) => time.optional().meta({ description: about });

/** What sessions can be told apart by. */
export const sessionFilters = {
  lifecycle: words(LIFECYCLES).optional(),
  parse_status: words(PARSE_STATUSES).optional(),
  workspace_id: name('Only this workspace: id, canonical id, name or unique prefix.'),
  device_id: name('Only this device: id, name or unique prefix.'),
  after: day('Started at this time or later.'),
  before: day('Started before this time.'),
  ended_after: day('Ended at this time or later.'),
  ended_before: day('Ended before this time.'),
  branch: name('Started on this git branch.'),
  model: name('Used a model whose name starts with this.'),
  tag: name('Has this tag.'),
  speed: name('Used this API speed, for example `fast`.'),
  tier: name('Used this API service tier, for example `priority`.'),
  min_cost: dollars
    .optional()
    .meta({ description: 'Minimum cost in dollars; excludes sessions without a known cost.' }),
  max_cost: dollars
    .optional()
    .meta({ description: 'Maximum cost in dollars; excludes sessions without a known cost.' }),
  has: words(HAS_WORDS).optional(),
  is: words(IS_WORDS).optional(),
  title: plainText(MAX_QUERY_CHARS).optional().meta({ description: 'Title contains this text, ignoring case.' }),
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
