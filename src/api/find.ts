import { z } from 'zod';
import { queryEndpoint, shape } from './endpoint.ts';
import {
  count,
  countOrNull,
  flag,
  limit,
  MAX_ID_CHARS,
  MAX_POSITION,
  MAX_QUERY_CHARS,
  plainText,
  text,
  wholeNumber,
} from './values.ts';

const MAX_MARKDOWN_MESSAGES = 1_000;

const foundInSession = shape(
  'FoundInSession',
  z.strictObject({
    hits: z
      .array(z.strictObject({ ordinal: count, block: count, count: count.describe('Hits in this item.') }))
      .readonly()
      .describe('Items of the outline that contain the text, in order.'),
    total: count.describe('Hits in all listed items.'),
    is_complete: z.boolean().describe('False if there may be more hits after the last one.'),
  }),
);
export type FoundInSession = z.infer<typeof foundInSession>;

const markdownOfRange = shape(
  'MarkdownOfRange',
  z.strictObject({
    text,
    next_from: countOrNull.describe('Where the rest of the range begins; null if this is all of it.'),
  }),
);
export type MarkdownOfRange = z.infer<typeof markdownOfRange>;

const position = wholeNumber(0, MAX_POSITION);

export const findEndpoints = {
  'GET /sessions/:id/find': queryEndpoint({
    about: 'All items of a session whose shown text contains a given text, in order, ignoring case.',
    query: z.strictObject({ q: plainText(MAX_QUERY_CHARS).meta({ description: 'The text to find, as it is.' }) }),
    answer: foundInSession,
  }),
  'GET /sessions/:id/markdown': queryEndpoint({
    about: 'Part of a conversation as Markdown: prompts, answers, calls with their results.',
    query: z.strictObject({
      from: position.default(0).meta({ default: 0, description: 'Position of the first message.' }),
      to: position.optional().meta({ description: 'Position of the last message (default: the end).' }),
      agent_id: plainText(MAX_ID_CHARS)
        .optional()
        .meta({ description: 'The conversation of this sub-agent (default: the main conversation).' }),
      limit: limit(MAX_MARKDOWN_MESSAGES, MAX_MARKDOWN_MESSAGES),
      redact: flag.default(false).meta({ description: '`true` replaces secrets.' }),
    }),
    answer: markdownOfRange,
  }),
};
