import { z } from 'zod';
import { shape } from '../endpoint.ts';
import { count, countOrNull, jsonObject, jsonValue, text, textOrNull, texts } from './json.ts';

const block = shape(
  'ContentBlock',
  z.strictObject({
    id: text,
    block_order: count,
    block_type: text,
    content_text: textOrNull,
    thinking_text: textOrNull,
    tool_name: textOrNull,
    tool_use_id: textOrNull,
    tool_input: jsonValue.nullable(),
    tool_result_id: textOrNull,
    is_error: z.boolean().nullable(),
    call_status: textOrNull,
    call_denial: textOrNull,
    result_text: textOrNull,
    metadata: jsonObject,
  }),
);

export type BlockRow = z.infer<typeof block>;

export const messageRow = shape(
  'Message',
  z.strictObject({
    id: text,
    ordinal: count,
    line_number: count,
    agent_id: textOrNull,
    message_type: text,
    subtype: textOrNull,
    role: text,
    origin: text,
    uuid: textOrNull,
    parent_uuid: textOrNull,
    model: textOrNull,
    tokens_in: countOrNull,
    tokens_out: countOrNull,
    cache_read: countOrNull,
    cache_write: countOrNull,
    cost_usd: z.number().nullable(),
    compact_sequence: count,
    is_compacted: z.boolean(),
    is_meta: z.boolean(),
    is_inherited: z.boolean().describe('Copied from another session and counted there.'),
    timestamp: textOrNull,
    has_text: z.boolean(),
    has_thinking: z.boolean(),
    has_tool_use: z.boolean(),
    has_tool_result: z.boolean(),
    cc_version: textOrNull,
    entrypoint: textOrNull,
    user_type: textOrNull,
    team_name: textOrNull,
    permission_mode: textOrNull,
    stop_reason: textOrNull,
    service_tier: textOrNull,
    speed: textOrNull,
    inference_geo: textOrNull,
    /** Number of API requests behind one answer. */
    iterations: countOrNull,
    web_searches: countOrNull,
    web_fetches: countOrNull,
    thinking_tokens: countOrNull,
    cache_miss_reason: textOrNull,
    cache_missed_tokens: countOrNull,
    metadata: jsonObject,
    content_blocks: z.array(block).readonly(),
  }),
);

export type MessageRow = z.infer<typeof messageRow>;

export const transcriptPage = shape(
  'TranscriptPage',
  z.strictObject({ messages: z.array(messageRow).readonly(), next_after: countOrNull }),
);
export type TranscriptPage = z.infer<typeof transcriptPage>;

/** The messages that were in the context of the model when it wrote a message. */
export const messagePath = shape(
  'MessagePath',
  z.strictObject({ message_ids: texts, ordinals: z.array(count).readonly(), turn_id: textOrNull }),
);
export type MessagePath = z.infer<typeof messagePath>;

/** The parts in order make up the file; each part is a range of a zstd frame. */
export const archiveLinks = shape(
  'ArchiveLinks',
  z.strictObject({
    path: text,
    size_bytes: count,
    sha256: textOrNull,
    expires_at: text,
    parts: z
      .array(
        z.strictObject({
          url: text,
          encoding: z.literal('zstd'),
          start_offset: count,
          size_bytes: count,
          blob_offset: count,
          blob_sha256: text,
        }),
      )
      .readonly(),
  }),
);
export type ArchiveLinks = z.infer<typeof archiveLinks>;
