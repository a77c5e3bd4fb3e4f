import { z } from 'zod';
import { EXPORT_FORMATS } from '../domain/export-format.ts';
import { MAX_PAGE_ROWS } from '../domain/page-rows.ts';
import { archiveLinks, messagePath, transcriptPage } from './answers/transcript.ts';
import { type CheckedQuery, queryEndpoint, serverEndpoint } from './endpoint.ts';
import { MAX_ID_CHARS, MAX_QUERY_CHARS } from './limits.ts';
import { after, flag, limit, plainText, texts } from './values.ts';

const file = plainText(MAX_QUERY_CHARS)
  .optional()
  .meta({ description: 'Path of one of the session’s `files`; its main transcript when absent.' });

export const transcriptEndpoints = {
  'GET /sessions/:id/transcript': queryEndpoint({
    about: 'Messages of a session with their blocks, in order, one page at a time.',
    query: z.strictObject({
      after,
      limit: limit(MAX_PAGE_ROWS, MAX_PAGE_ROWS),
      agent_id: texts(MAX_ID_CHARS)
        .optional()
        .meta({ description: 'Only of these sub-agents, comma-separated; `main` is the main conversation.' }),
      full: flag.optional().meta({
        description:
          '`true` gives texts of any length, at most 10 messages a page; otherwise a text over 262,144 characters is cut and its block has `truncated` in `metadata`.',
      }),
    }),
    answer: transcriptPage,
  }),
  'GET /sessions/:id/transcript/raw': serverEndpoint({
    isOfData: true,
    about: 'The exact bytes of an archived file, whole or as the header `Range` says.',
    query: z.strictObject({ file }),
    answer: 'bytes',
  }),
  'GET /sessions/:id/transcript/links': queryEndpoint({
    about: 'Where an archived file lies in the bucket: links that need no key and are valid for an hour.',
    query: z.strictObject({ file }),
    answer: archiveLinks,
  }),
  'GET /sessions/:id/export': serverEndpoint({
    isOfData: true,
    about:
      'The whole parse of a session as one JSON object, straight from the archived bytes: nothing is cut. Or one HTML file that needs nothing else. Both are redacted.',
    query: z.strictObject({
      raw: flag.default(false).meta({ description: '`true`: do not redact; JSON only.' }),
      format: z.enum(EXPORT_FORMATS).default('json').meta({ description: '`json` or `html`; json when absent.' }),
    }),
    answer: 'download',
  }),
  'GET /sessions/:id/messages/:message_id/path': queryEndpoint({
    about: 'The messages that the model had before it when this one was written, in order.',
    answer: messagePath,
  }),
};

export type TranscriptQuery = CheckedQuery<(typeof transcriptEndpoints)['GET /sessions/:id/transcript']>;
