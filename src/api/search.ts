import { z } from 'zod';
import {
  DEFAULT_SEARCH_SESSIONS,
  MAX_SEARCH_CHARS,
  MAX_SEARCH_SESSIONS,
  MAX_SESSION_HITS,
  PLACE_KINDS,
  type PlaceKind,
} from '../domain/search.ts';
import { LIFECYCLES } from '../domain/session.ts';
import { VALUE_FIELDS } from '../domain/session-fields.ts';
import { type CheckedQuery, queryEndpoint, shape } from './endpoint.ts';
import { facet } from './facets.ts';
import {
  count,
  countOrNull,
  cursor,
  dateZone,
  flag,
  inWorkspace,
  limit,
  plainText,
  text,
  textOrNull,
} from './values.ts';

const hit = shape(
  'SearchHit',
  z.strictObject({
    kind: z.enum(Object.keys(PLACE_KINDS) as [PlaceKind, ...PlaceKind[]]),
    message_id: textOrNull,
    ordinal: countOrNull,
    /** Position of the text within its message. */
    block: countOrNull,
    tool_name: textOrNull,
    timestamp: textOrNull,
    snippet: text,
    /** Parts of the snippet that match the search, in UTF-16 units: start, and end (exclusive). */
    highlights: z.array(z.tuple([count, count]).readonly()).readonly(),
    /** For the input of a call: the field that contains the snippet. */
    input_field: textOrNull,
    /** For the input and output of a call: its command, file or other subject, and how it ended. */
    call: z.strictObject({ subject: text, status: text, exit_code: countOrNull }).nullable(),
  }),
);

export type SearchHit = z.infer<typeof hit>;

const foundSession = shape(
  'FoundSession',
  z.strictObject({
    session_id: text,
    title: textOrNull,
    workspace_name: text,
    started_at: text,
    lifecycle: z.enum(LIFECYCLES),
    git_branch: textOrNull,
    model: textOrNull,
    cost_estimate_usd: z.number().nullable(),
    /** Number of matches in this session; `hits` contains the best of them. */
    places: count,
    hits: z.array(hit).readonly(),
  }),
);

export type FoundSession = z.infer<typeof foundSession>;

const searchAnswer = shape(
  'SearchAnswer',
  z.strictObject({
    query: text,
    sessions: z.array(foundSession).readonly(),
    total: z.strictObject({ sessions: count, places: count }),
    /**
     * Why older matches were not searched: enough newer ones were found, or time ran out. The next page continues
     * there.
     */
    cut: z.enum(['places', 'time']).nullable(),
    next_cursor: textOrNull,
  }),
);
export type SearchAnswer = z.infer<typeof searchAnswer>;

export const SEARCH_SORTS = ['relevance', 'time'] as const;
export type SearchSort = (typeof SEARCH_SORTS)[number];

const query = plainText(MAX_SEARCH_CHARS)
  .refine((words) => words.trim() !== '', 'must not be blank')
  .meta({ description: 'The search query; see docs/search.md.' });
const lines = flag.optional().meta({ description: '`true` keeps the line breaks of snippets.' });
const all = flag.optional().meta({ description: '`true` includes sessions without a prompt.' });

const searchTerm = z.union([
  z.strictObject({ kind: z.literal('text'), words: z.array(text).readonly(), is_prefix: z.boolean() }),
  z.strictObject({
    kind: z.literal('pattern'),
    source: text,
    is_regex: z.boolean(),
    is_case_sensitive: z.boolean(),
  }),
]);
export type SearchTerm = z.infer<typeof searchTerm>;

const sessionHits = shape(
  'SessionHits',
  z.strictObject({
    query: text,
    /** The terms to mark in the session: consecutive words, and patterns. */
    terms: z.array(searchTerm).readonly(),
    hits: z.array(hit).readonly(),
    /** Matches that were found; `hits` has the first of them. */
    total: count,
    /** False if time ran out or there are too many; there may be more matches than `total`. */
    is_complete: z.boolean(),
  }),
);
export type SessionHits = z.infer<typeof sessionHits>;

const countedPlaces = z.array(z.strictObject({ value: text, places: count })).readonly();

const searchFacets = shape(
  'SearchFacets',
  z.strictObject({
    sessions: count,
    places: count,
    cost_nanos: count,
    facets: z.array(facet).readonly(),
    /** Matches by type of text and by tool, most frequent first; empty for a search without words. */
    types: countedPlaces,
    tools: countedPlaces,
    /** False if time ran out; then only the newest matches were counted. */
    is_complete: z.boolean(),
  }),
);
export type SearchFacets = z.infer<typeof searchFacets>;

const DEFAULT_SESSION_HITS = 500;

const fieldValues = shape(
  'FieldValues',
  z.strictObject({
    field: z.enum(VALUE_FIELDS),
    values: z
      .array(z.strictObject({ value: text, sessions: count.describe('Sessions that `field:value` matches.') }))
      .readonly(),
    has_more: z.boolean(),
  }),
);
export type FieldValues = z.infer<typeof fieldValues>;

const MAX_FIELD_VALUES = 200;
const DEFAULT_FIELD_VALUES = 20;

export const searchEndpoints = {
  'GET /search/values': queryEndpoint({
    about: 'Known values of a search field, most frequent first, to complete a search.',
    query: z.strictObject({
      field: z.enum(VALUE_FIELDS).meta({ description: 'The field.' }),
      contains: plainText(MAX_SEARCH_CHARS).optional().meta({ description: 'Only values that contain this text.' }),
      limit: limit(MAX_FIELD_VALUES, DEFAULT_FIELD_VALUES),
      all,
    }),
    answer: fieldValues,
  }),
  'GET /search/facets': queryEndpoint({
    about: 'How many matches and sessions of a search have each value of the main fields.',
    query: z.strictObject({ q: query, zone: dateZone, all }),
    answer: searchFacets,
  }),
  'GET /sessions/:id/hits': queryEndpoint({
    about: 'All matches of a search in one session, in their order.',
    query: z.strictObject({ q: query, limit: limit(MAX_SESSION_HITS, DEFAULT_SESSION_HITS), zone: dateZone, lines }),
    answer: sessionHits,
  }),
  'GET /search': queryEndpoint({
    about: 'Sessions that match a search, best first, each with its best matches; without words, newest first.',
    query: z.strictObject({
      q: query,
      sort: z
        .enum(SEARCH_SORTS)
        .optional()
        .meta({ description: '`relevance`: best sessions first (default); `time`: newest first.' }),
      lines,
      limit: limit(MAX_SEARCH_SESSIONS, DEFAULT_SEARCH_SESSIONS),
      cursor,
      redact: flag.optional().meta({
        description: 'Replace secrets in each whole text before its snippet is cut, for answers that are passed on.',
      }),
      workspace: inWorkspace,
      zone: dateZone,
      all,
    }),
    answer: searchAnswer,
  }),
};

export type SearchQuery = CheckedQuery<(typeof searchEndpoints)['GET /search']>;
export type SessionHitsQuery = CheckedQuery<(typeof searchEndpoints)['GET /sessions/:id/hits']>;
export type SearchFacetsQuery = CheckedQuery<(typeof searchEndpoints)['GET /search/facets']>;
