import { z } from 'zod';
import { MAX_SUMMARY_CHARS } from '../domain/annotation.ts';
import { DEFAULT_PAGE_ROWS, MAX_PAGE_ROWS } from '../domain/requests.ts';
import { MAX_SEARCH_CHARS } from '../domain/search.ts';
import { LIFECYCLES, PARSE_STATUSES, SESSION_ID_PATTERN } from '../domain/session.ts';
import { FIELD_PARAMETERS, type FieldParameter, findField } from '../domain/session-fields.ts';
import { SESSION_SORTS, type SessionSort, SORT_ORDERS } from '../domain/session-sort.ts';
import { SUMMARY_KINDS, WORK_KINDS, type WorkKind } from '../domain/summary.ts';
import { type CheckedQuery, commandEndpoint, queryEndpoint, shape } from './endpoint.ts';
import {
  count,
  countOrNull,
  cursor,
  dateZone,
  done,
  flag,
  jsonObject,
  limit,
  MAX_BATCH_IDS,
  MAX_ID_CHARS,
  MAX_QUERY_CHARS,
  plainText,
  text,
  textOrNull,
  texts,
} from './values.ts';

/** The results of a session itself, without those copied from another one. */
const work = z.strictObject({
  lines_added: count,
  lines_removed: count,
  /** New commits made in it; without amended ones and copies by a rebase. */
  commits: count,
  /** Tool calls that failed; denied and interrupted calls are not counted. */
  failed_calls: count,
  api_errors: count,
});
export type SessionWork = z.infer<typeof work>;

const row = z.strictObject({
  id: text,
  workspace_id: text,
  workspace_name: text,
  device_id: text,
  device_name: text,
  lifecycle: z.enum(LIFECYCLES),
  parse_status: z.enum(PARSE_STATUSES),
  parse_error: textOrNull,
  started_at: text,
  ended_at: textOrNull,
  end_reason: textOrNull,
  title: textOrNull,
  initial_prompt: textOrNull,
  summary: textOrNull,
  /** The author of the summary: a person, a model, or our own narrator. */
  summary_kind: z.enum(SUMMARY_KINDS).nullable(),
  /** Null unless the evidence is clear. */
  work_kind: z.enum(Object.keys(WORK_KINDS) as WorkKind[]).nullable(),
  cwd: textOrNull,
  git_branch: textOrNull,
  model: textOrNull,
  models: texts,
  source: textOrNull,
  cc_version: textOrNull,
  /** Service tiers, speeds and regions its API messages were billed with, in order of first use. */
  service_tiers: texts,
  speeds: texts,
  inference_geos: texts,
  /** Web searches and fetches run by the API itself. */
  web_searches: countOrNull,
  web_fetches: countOrNull,
  total_messages: countOrNull,
  user_messages: countOrNull,
  assistant_messages: countOrNull,
  tool_use_count: countOrNull,
  thinking_blocks: countOrNull,
  subagent_count: countOrNull,
  tokens_in: countOrNull,
  tokens_out: countOrNull,
  cache_read_tokens: countOrNull,
  cache_write_tokens: countOrNull,
  /** Dollars; null when the price of a model it used is unknown. */
  cost_estimate_usd: z.number().nullable(),
  /** Models without a known price: their tokens are counted, but totals do not include their cost. */
  unknown_models: texts,
  duration_ms: countOrNull,
  tags: texts,
  metadata: jsonObject,
  /** Null for archived sessions. */
  work: work.nullable(),
  remote_env_id: textOrNull,
  is_pinned: z.boolean(),
  created_at: text,
  updated_at: text,
});

/** One row of the session list: the columns of the `sessions` table as JSON. */
export const sessionRow = shape('Session', row);
export type SessionRow = z.infer<typeof sessionRow>;

const sessionPage = shape(
  'SessionPage',
  z.strictObject({
    sessions: z.array(sessionRow).readonly(),
    next_cursor: textOrNull,
    has_more: z.boolean(),
    hidden: count,
  }),
);
export type SessionPage = z.infer<typeof sessionPage>;

const file = shape(
  'SessionFile',
  z.strictObject({
    path: text,
    kind: text,
    agent_id: textOrNull,
    size_bytes: count,
    generations: count,
    sha256: textOrNull,
  }),
);

const teamPlace = z.strictObject({
  team_name: text,
  /** Its own name; `team-lead` or null for the lead. */
  agent_name: textOrNull,
  /** Null for the lead itself, and if the lead is unknown. */
  lead_session_id: textOrNull,
});
export type TeamPlace = z.infer<typeof teamPlace>;

/** A note that a person wrote about a session. */
const note = z.strictObject({ id: text, text, created_at: text, updated_at: text });
export type SessionNote = z.infer<typeof note>;

export const sessionDetail = shape(
  'SessionDetail',
  row.extend({
    /** Null outside of teams. */
    team: teamPlace.nullable(),
    notes: z.array(note).readonly(),
    files: z.array(file).readonly(),
    lines: z.strictObject({ total: count, records: count, salvaged: count, skipped: count }),
    /** Number of irregularities of each kind found while parsing. */
    anomalies: z.record(z.string(), count),
  }),
);
export type SessionDetail = z.infer<typeof sessionDetail>;

const batchStatus = shape(
  'BatchStatus',
  z.strictObject({
    statuses: z.array(row.pick({ id: true, lifecycle: true, parse_status: true, parse_error: true })).readonly(),
    not_found: texts,
  }),
);
export type BatchStatus = z.infer<typeof batchStatus>;

const MAX_BULK_IDS = 500;

const bulkAnswer = shape(
  'BulkAnswer',
  z.strictObject({
    results: z
      .array(
        z.strictObject({
          session_id: text.meta({ description: 'As given.' }),
          is_changed: z.boolean(),
          error: z.strictObject({ code: text, message: text }).nullable(),
        }),
      )
      .readonly(),
  }),
);
export type BulkAnswer = z.infer<typeof bulkAnswer>;

/** The latest result of each pipeline step for a session. */
const stepList = z.strictObject({
  steps: z
    .array(
      z.strictObject({
        step: text,
        outcome: text,
        error_code: textOrNull,
        error: textOrNull,
        attempts: count,
        duration_ms: count,
        revision: count,
        finished_at: text,
      }),
    )
    .readonly(),
});

export type SessionStep = z.infer<typeof stepList>['steps'][number];

function describe(parameter: string): string {
  const { name, field, comparison } = findField(parameter) as NonNullable<ReturnType<typeof findField>>;
  if (parameter !== name) return comparison === '' ? `Same as \`${name}\`.` : `Same as \`${name}=${comparison}N\`.`;
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
  zone: dateZone,
  all: flag.optional().meta({ description: '`true` includes sessions without a prompt.' }),
} as const;

const SORT_NAMES = Object.keys(SESSION_SORTS) as [SessionSort, ...SessionSort[]];
const SORT_TEXTS = Object.entries(SESSION_SORTS).map(([name, { about }]) =>
  name === about ? `\`${name}\`` : `\`${name}\` (${about})`,
);

/** Sessions without a value come last in both directions. */
export const sort = z
  .enum(SORT_NAMES, `must be one of ${SORT_NAMES.join(', ')}`)
  .meta({ description: `Sorts by ${SORT_TEXTS.join(', ')}.` });

const MAX_TAGS_GIVEN = 100;
const MAX_TEXT_CHARS = 100_000;
const MAX_TAG_CHARS = 200;
const tags = z.array(z.string().max(MAX_TAG_CHARS)).max(MAX_TAGS_GIVEN);
const noteBody = z.strictObject({ text: z.string().max(MAX_TEXT_CHARS) });

/** Sessions, and the changes that people make to them: tags, pins, summaries, workspaces and notes. */
export const sessionEndpoints = {
  'GET /sessions': queryEndpoint({
    about: 'Sessions, newest first unless sorted otherwise, one page at a time. Filters are combined with AND.',
    query: z.strictObject({
      limit: limit(MAX_PAGE_ROWS, DEFAULT_PAGE_ROWS),
      cursor,
      sort: sort.optional(),
      order: z
        .enum(SORT_ORDERS, 'must be asc or desc')
        .optional()
        .meta({ description: '`asc` or `desc` (default: `asc` for titles, otherwise `desc`).' }),
      fields: z.literal('list').optional().meta({
        description: '`list` leaves `metadata` empty and cuts `initial_prompt` and `summary` to 300 characters.',
      }),
      ...sessionFilters,
    }),
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
  'GET /sessions/:id/steps': queryEndpoint({
    about: 'Results of the last processing steps of a session.',
    answer: stepList,
  }),
  'PATCH /sessions': commandEndpoint({
    about:
      'Changes tags or pins of several sessions and returns what happened to each. A failure does not affect the others.',
    body: z
      .strictObject({
        session_ids: z.array(plainText(MAX_ID_CHARS)).min(1).max(MAX_BULK_IDS),
        add_tags: tags.optional(),
        remove_tags: tags.optional(),
        is_pinned: z.boolean().optional(),
      })
      .refine((given) => Object.keys(given).length > 1, 'must contain a change'),
    answer: bulkAnswer,
  }),
  'PATCH /sessions/:id': commandEndpoint({
    about: 'Changes title, tags, pin, summary or workspace of a session and returns the session.',
    body: z
      .strictObject({
        tags: tags.optional(),
        add_tags: tags.optional(),
        remove_tags: tags.optional(),
        is_pinned: z.boolean().optional(),
        title: z
          .string()
          .max(MAX_TEXT_CHARS)
          .nullable()
          .optional()
          .meta({ description: 'Null or blank text returns to the automatic title.' }),
        summary: z.string().max(MAX_SUMMARY_CHARS).nullable().optional(),
        workspace_id: plainText(MAX_ID_CHARS).optional(),
      })
      .refine((given) => Object.keys(given).length > 0, 'must contain a change')
      .refine(
        ({ tags: all, add_tags: some, remove_tags: less }) =>
          [all, some, less].filter((each) => each !== undefined).length <= 1,
        'must contain only one of tags, add_tags and remove_tags',
      ),
    answer: sessionDetail,
  }),
  'POST /sessions/:id/notes': commandEndpoint({
    about: 'Adds a note to a session and returns the session with its notes.',
    body: noteBody,
    answer: sessionDetail,
  }),
  'PATCH /notes/:note_id': commandEndpoint({ about: 'Replaces the text of a note.', body: noteBody, answer: done }),
  'DELETE /notes/:note_id': commandEndpoint({ about: 'Removes a note.', answer: done }),
  'POST /sessions/:id/reparse': commandEndpoint({
    about: 'Queues a session to be parsed again from the archive. The previous data is served until then.',
    answer: done,
  }),
  'POST /sessions/:id/restore': commandEndpoint({
    about: 'Queues the rows of an archived session to be restored.',
    answer: done,
  }),
  'POST /sessions/:id/archive': commandEndpoint({
    about: 'Removes the rows of a session after verifying that they can be restored from the archive.',
    answer: z.strictObject({ outcome: z.enum(['archived', 'not_now']) }),
  }),
};

type SessionsQuery = CheckedQuery<(typeof sessionEndpoints)['GET /sessions']>;
export type SessionFilters = Omit<SessionsQuery, 'limit' | 'cursor'>;
