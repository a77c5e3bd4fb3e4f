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
  workspace_id: name('Only of this workspace: its id, canonical id, name, or a beginning that fits no other.'),
  device_id: name('Only of this device: its id, name, or a beginning that fits no other.'),
  after: day('Started at this time or later.'),
  before: day('Started before this time.'),
  ended_after: day('Ended at this time or later.'),
  ended_before: day('Ended before this time.'),
  branch: name('Begun on this git branch.'),
  model: name('Used a model of this name; a beginning is enough.'),
  tag: name('Has this tag.'),
  speed: name('The API answered at this speed, for example `fast`.'),
  tier: name('The API used this service tier, for example `priority`.'),
  min_cost: dollars.optional().meta({ description: 'Dollars at least; sessions without a known cost are left out.' }),
  max_cost: dollars.optional().meta({ description: 'Dollars at most; sessions without a known cost are left out.' }),
  has: words(HAS_WORDS).optional(),
  is: words(IS_WORDS).optional(),
  title: plainText(MAX_QUERY_CHARS).optional().meta({ description: 'The title contains this, in whatever case.' }),
  all: flag.optional().meta({ description: '`true` lists sessions without a prompt too.' }),
} as const;

export const sessionEndpoints = {
  'GET /sessions': queryEndpoint({
    about: 'Sessions, newest first, one page at a time. All filters given must fit.',
    query: z.strictObject({ limit: limit(MAX_PAGE_ROWS, DEFAULT_PAGE_ROWS), cursor, ...sessionFilters }),
    answer: sessionPage,
  }),
  'POST /sessions/batch-status': queryEndpoint({
    about: 'The states of many sessions at once.',
    body: z.strictObject({
      session_ids: z.array(z.string().regex(SESSION_ID_PATTERN, 'is no session id')).max(MAX_BATCH_IDS),
    }),
    answer: batchStatus,
  }),
  'GET /sessions/:id': queryEndpoint({
    about: 'One session by its id or a prefix of it that fits no other, with its files, line counts and anomalies.',
    answer: sessionDetail,
  }),
  'GET /sessions/:id/events': queryEndpoint({
    about: 'What hooks told of a session, in order of time.',
    query: z.strictObject({ limit: limit(MAX_EVENT_ROWS, MAX_PAGE_ROWS), cursor }),
    answer: eventPage,
  }),
  'GET /sessions/:id/git': queryEndpoint({
    about: 'What happened in its repositories during a session, in order of time.',
    query: z.strictObject({ limit: limit(MAX_GIT_ROWS, MAX_GIT_ROWS), cursor }),
    answer: gitPage,
  }),
  'GET /sessions/:id/steps': queryEndpoint({
    about: 'How the steps from bytes to finished session went last.',
    answer: stepList,
  }),
  'GET /sessions/:id/usage': queryEndpoint({
    about: 'Tokens and cost of a session by model. What another session counts already is not counted again.',
    answer: sessionUsage,
  }),
};

export type SessionsQuery = CheckedQuery<(typeof sessionEndpoints)['GET /sessions']>;
export type SessionFilters = Omit<SessionsQuery, 'limit' | 'cursor'>;
