import { z } from 'zod';
import { anything, fields, named, num, opt, str, word } from './kit.ts';

const cacheCreation = fields({ ephemeral_5m_input_tokens: opt(num), ephemeral_1h_input_tokens: opt(num) });

const tokenFields = {
  input_tokens: num,
  output_tokens: num,
  cache_creation_input_tokens: opt(num),
  cache_read_input_tokens: opt(num),
  cache_creation: opt(cacheCreation),
};

const iteration = fields({
  ...tokenFields,
  type: opt(word('message', 'fallback_message', 'compaction', 'advisor_message')),
  model: opt(str),
});

const usage = named(
  'usage',
  'Token counts of one API message, repeated on each of its lines.',
  fields({
    ...tokenFields,
    server_tool_use: opt(fields({ web_search_requests: opt(num), web_fetch_requests: opt(num) })),
    output_tokens_details: opt(fields({ thinking_tokens: opt(num) })),
    service_tier: opt(word('standard', 'priority', 'batch', 'flex')),
    inference_geo: opt(word('not_available', 'global', 'us', 'eu', '')),
    speed: opt(word('standard', 'fast')),
    iterations: opt(z.array(iteration)),
    fallback_credit: opt(anything),
  }),
);

export interface UsageFields extends z.infer<typeof usage> {}

/** What the API says a message cost in tokens. */
export const UsageSchema: z.ZodType<UsageFields> = usage;
