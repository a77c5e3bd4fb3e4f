import { z } from 'zod';
import { queryEndpoint, shape } from './endpoint.ts';
import { usageSums } from './usage.ts';
import { count, countOrNull, text, textOrNull } from './values.ts';

const counts = z.array(count).readonly();
const countsOrNull = z.array(countOrNull).readonly();

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

export const sessionWorkEndpoints = {
  'GET /sessions/:id/waterfall': queryEndpoint({
    about: 'Tool calls over time: when each began, how long it waited and how long it ran.',
    answer: waterfall,
  }),
  'GET /sessions/:id/costs': queryEndpoint({
    about: 'Tokens and cost of a session by turn and sub-agent, and the files that were read most.',
    answer: sessionCosts,
  }),
};
