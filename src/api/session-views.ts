import { z } from 'zod';
import { CONTEXT_PARTS } from '../domain/context-parts.ts';
import { queryEndpoint, shape } from './endpoint.ts';
import { usageSums } from './usage.ts';
import { count, countOrNull, counts, countsOrNull, MAX_ID_CHARS, plainText, text, textOrNull } from './values.ts';

const relative = shape(
  'Relative',
  z.strictObject({
    session_id: text,
    kind: text.describe(
      'forked, branched, shared, copied, cleared, continued or planned; `forked_context` of an agent.',
    ),
    is_origin: z.boolean().describe('True: this session comes from the other one. False: the other one from this.'),
    title: textOrNull.describe('Null if the other session is not stored.'),
    is_deleted: z.boolean().describe('The other session was deleted.'),
    started_at: textOrNull,
    lines: count.describe('Lines that both have.'),
    at_ordinal: countOrNull.describe('The last message here that both have.'),
  }),
);
export type Relative = z.infer<typeof relative>;

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

const waterfall = shape(
  'Waterfall',
  z.strictObject({
    agents: z.array(text).readonly(),
    calls: z
      .strictObject({
        ordinal: counts.describe('Position of the message with the call.'),
        block: countsOrNull.describe('`block_order` of the call in that message.'),
        name: z.array(textOrNull).readonly(),
        subject: z.array(textOrNull).readonly().describe('Description, command, file or text that was looked for.'),
        agent: counts.describe('Index into `agents`; -1 is the main conversation.'),
        turn_id: z.array(textOrNull).readonly(),
        started_ms: counts.describe('Milliseconds since 1970.'),
        waiting_ms: countsOrNull.describe('How long it waited for a person or for other calls, at least.'),
        duration_ms: countsOrNull.describe('How long it ran, without the time it waited.'),
        status: z.array(text).readonly(),
      })
      .describe('Parallel arrays, by time; without calls copied from another session or without a time.'),
  }),
);
export type Waterfall = z.infer<typeof waterfall>;

const workCost = usageSums.extend({ cost_nanos: countOrNull });

const sessionCosts = shape(
  'SessionCosts',
  z.strictObject({
    total: workCost,
    rows: z
      .array(workCost.extend({ turn_id: textOrNull, agent_id: textOrNull }))
      .readonly()
      .describe('By turn and conversation; they add up to the total.'),
    files: z
      .array(
        z.strictObject({
          path: text,
          reads: count,
          tokens: count.describe('Estimated tokens that its contents added to the context.'),
          ordinal: count.describe('Position of the message with the first call that read it.'),
          block: countOrNull.describe('`block_order` of that call.'),
        }),
      )
      .readonly()
      .describe('Files that were read, those that added most first.'),
  }),
);
export type SessionCosts = z.infer<typeof sessionCosts>;

/** The views of one session besides its transcript: relatives, context, tool calls over time, and cost. */
export const sessionViewEndpoints = {
  'GET /sessions/:id/relatives': queryEndpoint({
    about: 'Sessions that this one comes from or that come from it, with the point where they diverge.',
    answer: z.strictObject({ relatives: z.array(relative).readonly() }),
  }),
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
  'GET /sessions/:id/waterfall': queryEndpoint({
    about: 'Tool calls over time: when each began, how long it waited and how long it ran.',
    answer: waterfall,
  }),
  'GET /sessions/:id/costs': queryEndpoint({
    about: 'Tokens and cost of a session by turn and sub-agent, and the files that were read most.',
    answer: sessionCosts,
  }),
};
