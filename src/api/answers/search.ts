import { z } from 'zod';
import { PLACE_KINDS, type PlaceKind, type SearchAnswer } from '../../domain/search.ts';
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
    highlights: z.array(z.tuple([count, count]).readonly()).readonly(),
  }),
);

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
    places: count,
    hits: z.array(hit).readonly(),
  }),
);

export const searchAnswer: z.ZodType<SearchAnswer> = shape(
  'SearchAnswer',
  z.strictObject({
    query: text,
    sessions: z.array(foundSession).readonly(),
    total: z.strictObject({ sessions: count, places: count }),
    cut: z.enum(['places', 'time']).nullable(),
    next_cursor: textOrNull,
  }),
);
