import { z } from 'zod';
import {
  DEFAULT_SEARCH_SESSIONS,
  MAX_SEARCH_CHARS,
  MAX_SEARCH_SESSIONS,
  PLACE_KINDS,
  type PlaceKind,
} from '../domain/search.ts';
import { VALUE_FIELDS } from '../domain/session-fields.ts';
import { count, countOrNull, text, textOrNull, cursor, flag, limit, MAX_ID_CHARS, plainText, zone } from './values.ts';
import { type CheckedQuery, queryEndpoint, shape } from './endpoint.ts';

const hit = shape(
  'SearchHit',
  z.strictObject({
    kind: z.enum(Object.keys(PLACE_KINDS) as [PlaceKind, ...PlaceKind[]]),
    message_id: textOrNull,
    ordinal: countOrNull,
    tool_name: textOrNull,
    timestamp: textOrNull,
    snippet: text,
    /** Parts of the snippet that match the search, in UTF-16 units: start, and end (exclusive). */
    highlights: z.array(z.tuple([count, count]).readonly()).readonly(),
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
    lifecycle: text,
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
      all: flag.optional().meta({ description: '`true` includes sessions without a prompt.' }),
    }),
    answer: fieldValues,
  }),
  'GET /search': queryEndpoint({
    about: 'Sessions that match a search, best first, each with its best matches; without words, newest first.',
    query: z.strictObject({
      q: plainText(MAX_SEARCH_CHARS)
        .refine((text) => text.trim() !== '', 'must not be blank')
        .meta({ description: 'The search query; see docs/search.md.' }),
      limit: limit(MAX_SEARCH_SESSIONS, DEFAULT_SEARCH_SESSIONS),
      cursor,
      redact: flag.optional().meta({
        description: 'Replace secrets in each whole text before its snippet is cut, for answers that are passed on.',
      }),
      workspace: plainText(MAX_ID_CHARS)
        .optional()
        .meta({ description: 'Only this workspace: id, canonical id, name or unique prefix.' }),
      zone: zone.optional().meta({ description: 'Time zone of dates (default: the zone of the server).' }),
      all: flag.optional().meta({ description: '`true` includes sessions without a prompt.' }),
    }),
    answer: searchAnswer,
  }),
};

export type SearchQuery = CheckedQuery<(typeof searchEndpoints)['GET /search']>;
