import { z } from 'zod';
import { CONTEXT_PARTS } from '../domain/context-parts.ts';
import { queryEndpoint, shape } from './endpoint.ts';
import { count, countOrNull, MAX_ID_CHARS, plainText, text, textOrNull } from './values.ts';

const counts = z.array(count).readonly();

const compactionPoint = z.strictObject({
  id: text,
  ordinal: count,
  point: count.describe('Index of the first point after it; -1 if there is none.'),
  kind: text,
  trigger: textOrNull,
  pre_tokens: countOrNull,
  post_tokens: countOrNull,
});

const sessionContext = shape(
  'SessionContext',
  z.strictObject({
    agent_id: textOrNull,
    model: textOrNull.describe('The model of the last answer.'),
    window: countOrNull.describe('Tokens that fit into the context of the model; null if unknown.'),
    most_tokens: count,
    parts: z.array(z.enum(CONTEXT_PARTS)).readonly(),
    points: z.strictObject({
      ordinal: counts.describe('Position of the answer.'),
      turn: counts.describe('Index of its turn in the outline; -1 outside of turns.'),
      total: counts.describe('Tokens in its context; exact.'),
      by_part: z.array(counts).readonly().describe('One list per entry of `parts`; estimated, with the exact sum.'),
    }),
    compactions: z.array(compactionPoint).readonly(),
  }),
);
export type SessionContext = z.infer<typeof sessionContext>;

const lostItem = z.strictObject({
  kind: z.enum(['prompt', 'file', 'decision', 'result']),
  ordinal: count.describe('Position of the message.'),
  is_kept: z.boolean().describe('It stayed in the context, or the summary mentions all of it.'),
  parts: z
    .array(z.strictObject({ text, is_kept: z.boolean() }))
    .readonly()
    .describe('The sentences of a prompt; otherwise one text.'),
});
export type LostItem = z.infer<typeof lostItem>;

const compactionDiff = shape(
  'CompactionDiff',
  z.strictObject({
    id: text,
    ordinal: count,
    kind: text,
    trigger: textOrNull,
    pre_tokens: countOrNull,
    post_tokens: countOrNull,
    summary: textOrNull.describe('Null if only old results were cleared.'),
    summary_ordinal: countOrNull,
    items: z.array(lostItem).readonly(),
    kept: count,
    lost: count,
    is_complete: z.boolean(),
  }),
);
export type CompactionDiff = z.infer<typeof compactionDiff>;

export const contextEndpoints = {
  'GET /sessions/:id/context': queryEndpoint({
    about: 'Tokens in the context of each answer: the exact total, and an estimate of what it consists of.',
    query: z.strictObject({
      agent_id: plainText(MAX_ID_CHARS)
        .optional()
        .meta({ description: 'A sub-agent; the main conversation if omitted.' }),
    }),
    answer: sessionContext,
  }),
  'GET /sessions/:id/compactions/:compaction_id/diff': queryEndpoint({
    about: 'What was in the context before a compaction, and what of it the summary does not mention.',
    answer: compactionDiff,
  }),
};
