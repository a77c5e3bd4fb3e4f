import { z } from 'zod';
import { EXPORT_FORMATS, MAX_PAGE_ROWS } from '../domain/requests.ts';
import { type CheckedQuery, queryEndpoint, serverEndpoint, shape } from './endpoint.ts';
import { toolCall } from './structure.ts';
import {
  after,
  commaSeparated,
  count,
  countOrNull,
  flag,
  jsonObject,
  jsonValue,
  limit,
  MAX_ID_CHARS,
  MAX_QUERY_CHARS,
  plainText,
  text,
  textOrNull,
  texts,
  wholeNumber,
} from './values.ts';

const patchHunk = z.strictObject({
  old_start: count,
  new_start: count,
  lines: texts.describe('Each begins with `+`, `-` or a space.'),
});
export type PatchHunk = z.infer<typeof patchHunk>;

/** What is known about a tool call besides its input and the text of its result. */
export const callFacts = shape(
  'CallFacts',
  toolCall
    .pick({ status: true, denial: true, exit_code: true, duration_ms: true, waiting_ms: true, started_at: true })
    .extend({
      ...toolCall.pick({ ended_at: true, spawned_agent_id: true, files: true, details: true }).shape,
      result_ordinal: countOrNull.describe('Position of the message with the result.'),
      patch: z.array(patchHunk).readonly().nullable().describe('The change as the client reported it.'),
      stderr: textOrNull.describe('Error output of a command, which the text of the result ends with.'),
    }),
);
export type CallFacts = z.infer<typeof callFacts>;

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
    call: callFacts.nullable().describe('Of a call; null on other blocks, and if nothing is known about it.'),
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

const transcriptPage = shape(
  'TranscriptPage',
  z.strictObject({ messages: z.array(messageRow).readonly(), next_after: countOrNull }),
);
export type TranscriptPage = z.infer<typeof transcriptPage>;

/** The messages that were in the context of the model when it wrote a message. */
const messagePath = shape(
  'MessagePath',
  z.strictObject({ message_ids: texts, ordinals: z.array(count).readonly(), turn_id: textOrNull }),
);
export type MessagePath = z.infer<typeof messagePath>;

/** The parts in order make up the file; each part is a range of a zstd frame. */
const archiveLinks = shape(
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

const file = plainText(MAX_QUERY_CHARS)
  .optional()
  .meta({ description: 'Path of one of the session’s `files` (default: its main transcript).' });

const MAX_PARTS = 1_000;

export const transcriptEndpoints = {
  'GET /sessions/:id/transcript': queryEndpoint({
    about: 'Messages of a session with their blocks, in order, one page at a time.',
    query: z.strictObject({
      after,
      limit: limit(MAX_PAGE_ROWS, MAX_PAGE_ROWS),
      agent_id: commaSeparated(MAX_ID_CHARS)
        .optional()
        .meta({ description: 'Only these sub-agents, comma-separated; `main` is the main conversation.' }),
      full: flag.optional().meta({
        description:
          '`true` returns texts of any length, at most 10 messages per page. Otherwise texts over 262,144 characters are truncated and their block has `truncated` in `metadata`.',
      }),
    }),
    answer: transcriptPage,
  }),
  'GET /sessions/:id/transcript/raw': serverEndpoint({
    isInDemo: true,
    about: 'The exact bytes of an archived file; supports the header `Range`.',
    query: z.strictObject({ file }),
    answer: 'file',
  }),
  'GET /sessions/:id/transcript/links': queryEndpoint({
    about: 'Presigned links to an archived file in the bucket, valid for an hour.',
    query: z.strictObject({ file }),
    answer: archiveLinks,
  }),
  'GET /sessions/:id/export': serverEndpoint({
    isInDemo: true,
    about: 'A session, or some of its turns, as one redacted file: Markdown, HTML, JSON or CSV.',
    query: z.strictObject({
      format: z.enum(EXPORT_FORMATS).default('json').meta({
        description:
          '`md`, `html` (one file that fetches nothing), `json` (default; docs/export-schema.json), `csv` (messages and tool calls), or `parsed` (all that the parser reads in the archive, never truncated).',
      }),
      turns: plainText(MAX_ID_CHARS)
        .optional()
        .meta({ description: 'Only these turns: `3`, `3-7` or `3-`. Not with `parsed`.' }),
      images: flag.default(true).meta({ description: '`false`: images are only named in HTML.' }),
      raw: flag.default(false).meta({ description: '`true`: do not redact. Not with `html`.' }),
    }),
    answer: 'export',
  }),
  'GET /sessions/:id/messages/:message_id/raw': serverEndpoint({
    isInDemo: true,
    about: 'The exact lines of a message, as they are in the transcript.',
    answer: 'lines',
  }),
  'GET /sessions/:id/messages/:message_id/blocks/:block_order/bytes': serverEndpoint({
    isInDemo: true,
    about:
      'The bytes of an image or document, from the archive. PNG, JPEG, GIF and WebP have their own type; everything else is a download.',
    query: z.strictObject({
      part: wholeNumber(0, MAX_PARTS)
        .default(0)
        .meta({ default: 0, description: 'Index of the image in a tool result, from 0.' }),
    }),
    answer: 'media',
  }),
  'GET /sessions/:id/messages/:message_id/path': queryEndpoint({
    about: 'The messages in the context of the model when this one was written, in order.',
    answer: messagePath,
  }),
};

export type TranscriptQuery = CheckedQuery<(typeof transcriptEndpoints)['GET /sessions/:id/transcript']>;
