import { z } from 'zod';
import { ITEM_KINDS } from '../domain/outline.ts';
import { DEFAULT_PAGE_ROWS, MAX_PAGE_ROWS } from '../domain/requests.ts';
import { queryEndpoint, shape } from './endpoint.ts';
import {
  after,
  count,
  countOrNull,
  counts,
  countsOrNull,
  limit,
  MAX_ID_CHARS,
  plainText,
  text,
  textOrNull,
} from './values.ts';

const textsOrNull = z.array(textOrNull).readonly();

/** Parallel arrays: one entry per item in each. */
const items = z.strictObject({
  ordinal: counts.describe('Position of the message.'),
  block: counts.describe('`block_order` of the block; -1 if the item is the whole message.'),
  kind: counts.describe('Index into `kinds`.'),
  turn: counts.describe('Index into `turns`; -1 before the first turn.'),
  agent: counts.describe('Index into `agents`; -1 is the main conversation.'),
  time: countsOrNull.describe('Milliseconds since 1970.'),
  size: counts.describe('Approximate bytes of text shown; of a call with its result.'),
  flags: counts.describe('Bits: 1 error, 2 inherited, 4 abandoned branch, 8 denied, 16 unfinished, 32 has an image.'),
  result: counts.describe('Of a call: ordinal of the message with its result; otherwise -1.'),
  cost: countsOrNull.describe('Nano-dollars of an answer, on its first item; null if counted in another session.'),
  context: countsOrNull.describe('Tokens in the context of an answer, on its first item.'),
});

/** Parallel arrays: one entry per turn in each. */
const turns = z.strictObject({
  id: z.array(text).readonly().describe('Message id of the prompt.'),
  ordinal: counts.describe('Position of the prompt.'),
  last_ordinal: counts.describe('Position of the last message of the turn.'),
  answer_ordinal: counts.describe('Position of the final text answer; -1 if there is none.'),
  agent: counts,
  origin: z.array(text).readonly(),
  sender: textsOrNull.describe('Name of the teammate who sent the prompt.'),
  excerpt: z.array(text).readonly().describe('First 200 characters of the prompt as typed.'),
  cost: countsOrNull,
  duration_ms: countsOrNull,
  active_ms: countsOrNull,
  tool_calls: counts,
  tool_errors: counts,
  lines_added: counts,
  lines_removed: counts,
  files_written: counts,
  commits: counts,
  branch: counts.describe('0: on the current path, 1: abandoned.'),
  parent: counts.describe('Index of the turn it follows; -1 for the first.'),
  time: countsOrNull,
  model: textsOrNull,
});

/** A sub-agent or teammate. */
const agent = z.strictObject({
  agent_id: text,
  agent_type: textOrNull,
  agent_name: textOrNull,
  team_name: textOrNull,
  description: textOrNull,
  model: textOrNull,
  status: textOrNull,
  cost_nanos: countOrNull,
  stats: z.strictObject({ messages: count, tool_calls: count, wall_ms: countOrNull }),
  last_line: textOrNull.describe('Last line of the last text it wrote.'),
  session_id: textOrNull.describe('Session of a teammate that runs in a process of its own.'),
  call_ordinal: count.describe('Position of the call that started it; -1 if unknown. One call can start several.'),
  call_block: count.describe('`block_order` of that call.'),
});

const commit = z.strictObject({
  sha: textOrNull,
  message: textOrNull.describe('First line.'),
  time: count,
  turn: count.describe('Index of the turn that made it; -1 before the first turn.'),
  ordinal: count.describe(
    'Position of the call that made it, else of the last message before it; -1 if there is none.',
  ),
});

const part = z.strictObject({
  kept: count.describe('How many entries of the earlier outline stay.'),
  changed: counts.describe('Indices of those that have changed: the first entries of this answer replace them.'),
});

export const outline = shape(
  'Outline',
  z.strictObject({
    revision: text.describe('Changes whenever the rows of the session change.'),
    since: z
      .strictObject({ revision: text, items: part, turns: part, agents: part })
      .nullable()
      .describe(
        'Null if the outline is complete. Otherwise `items`, `turns` and `agents` hold only what changed since this revision: entries that replace others, then those that are new.',
      ),
    agents: z.array(agent).readonly().describe('Sub-agents and teammates.'),
    items,
    kinds: z.array(z.enum(ITEM_KINDS)).readonly(),
    turns,
    branches: z
      .array(z.strictObject({ after_ordinal: count, turns: counts, current: count }))
      .readonly()
      .describe('Points where the conversation was rewound; `turns` and `current` are indices of turns.'),
    compactions: z
      .array(
        z.strictObject({
          id: text,
          ordinal: count,
          agent: count.describe('Index into `agents`; -1 is the main conversation.'),
          kind: text.describe('`full`, or `micro` if only old results were cleared.'),
          trigger: textOrNull,
          pre_tokens: countOrNull,
          post_tokens: countOrNull,
          duration_ms: countOrNull,
        }),
      )
      .readonly(),
    commits: z.array(commit).readonly().describe('Commits made in the session.'),
  }),
);
export type Outline = z.infer<typeof outline>;

const prompt = z.strictObject({
  ordinal: count.describe('Position of the prompt.'),
  excerpt: text.describe('First 200 characters as typed.'),
  cost_nanos: countOrNull.describe('Cost of the turn.'),
});

export const outlineEndpoints = {
  'GET /sessions/:id/prompts': queryEndpoint({
    about: 'The prompts of the main conversation, in order: the beginning of each and the cost of its turn.',
    query: z.strictObject({ after, limit: limit(MAX_PAGE_ROWS, DEFAULT_PAGE_ROWS) }),
    answer: z.strictObject({ prompts: z.array(prompt).readonly(), next_after: countOrNull }),
  }),
  'GET /sessions/:id/outline': queryEndpoint({
    about: 'All rows of a session view, without their text: kind, turn, time, size and cost as columns.',
    query: z.strictObject({
      since: plainText(MAX_ID_CHARS).optional().meta({
        description: 'Revision of an earlier outline: the answer may then contain only the changes since.',
      }),
    }),
    answer: outline,
  }),
};
