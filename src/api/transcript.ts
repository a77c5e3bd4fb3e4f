import { z } from 'zod';
import { EXPORT_FORMATS } from '../domain/export-format.ts';
import { MAX_PAGE_ROWS } from '../domain/page-rows.ts';
import { archiveLinks, messagePath, transcriptPage } from './answers/transcript.ts';
import { type CheckedQuery, queryEndpoint, serverEndpoint } from './endpoint.ts';
import { MAX_ID_CHARS, MAX_QUERY_CHARS } from './limits.ts';
import { after, flag, limit, plainText, texts } from './values.ts';

const file = plainText(MAX_QUERY_CHARS)
  .optional()
  .meta({ description: 'Path of one of the session’s `files` (default: its main transcript).' });

export const transcriptEndpoints = {
  'GET /sessions/:id/transcript': queryEndpoint({
    about: 'Messages of a session with their blocks, in order, one page at a time.',
    query: z.strictObject({
      after,
      limit: limit(MAX_PAGE_ROWS, MAX_PAGE_ROWS),
      agent_id: texts(MAX_ID_CHARS)
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
    isOfData: true,
    about: 'The exact bytes of an archived file; supports the header `Range`.',
    query: z.strictObject({ file }),
    answer: 'bytes',
  }),
  'GET /sessions/:id/transcript/links': queryEndpoint({
    about: 'Presigned links to an archived file in the bucket, valid for an hour.',
    query: z.strictObject({ file }),
    answer: archiveLinks,
  }),
  'GET /sessions/:id/export': serverEndpoint({
    isOfData: true,
    about:
      'The complete parsed session as one JSON object, straight from the archive and never truncated, or as one self-contained HTML file. Both are redacted.',
    query: z.strictObject({
      raw: flag.default(false).meta({ description: '`true`: do not redact; JSON only.' }),
      format: z.enum(EXPORT_FORMATS).default('json').meta({ description: '`json` (default) or `html`.' }),
    }),
    answer: 'download',
  }),
  'GET /sessions/:id/messages/:message_id/path': queryEndpoint({
    about: 'The messages in the context of the model when this one was written, in order.',
    answer: messagePath,
  }),
};

export type TranscriptQuery = CheckedQuery<(typeof transcriptEndpoints)['GET /sessions/:id/transcript']>;
