import { z } from 'zod';
import { PLACE_KINDS, type PlaceKind } from '../../domain/search.ts';
import { shape } from '../endpoint.ts';
import { count, countOrNull, text, textOrNull } from './json.ts';

const hit = shape(
  'SearchHit',
  z.strictObject({
    kind: z.enum(Object.keys(PLACE_KINDS) as [PlaceKind, ...PlaceKind[]]),
    message_id: textOrNull,
    ordinal: countOrNull,
    tool_name: textOrNull,
    timestamp: textOrNull,
    snippet: text,
    /** Parts of the snippet that fit the search, in UTF-16 units: from, up to and without. */
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
    /** Places of this session that were found; `hits` shows the best of them. */
    places: count,
    hits: z.array(hit).readonly(),
  }),
);

export type FoundSession = z.infer<typeof foundSession>;

export const searchAnswer = shape(
  'SearchAnswer',
  z.strictObject({
    query: text,
    sessions: z.array(foundSession).readonly(),
    total: z.strictObject({ sessions: count, places: count }),
    /** Why older places were not looked at: so many newer ones fit, or the time was up. The next page goes on there. */
    cut: z.enum(['places', 'time']).nullable(),
    next_cursor: textOrNull,
  }),
);
export type SearchAnswer = z.infer<typeof searchAnswer>;
