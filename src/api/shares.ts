import { z } from 'zod';
import { SECOND_MS } from '../domain/durations.ts';
import { DEFAULT_SHARE_MS, MAX_SHARE_MS, MAX_SHARE_NOTE_CHARS, MIN_SHARE_MS } from '../domain/requests.ts';
import { commandEndpoint, queryEndpoint, shape } from './endpoint.ts';
import { count, done, plainText, text, textOrNull } from './values.ts';

const redacted = z
  .record(text, count)
  .readonly()
  .meta({ description: 'Number of replacements by kind: secrets, passwords, home directories.' });

const fields = {
  id: text,
  session_id: text,
  title: text,
  note: textOrNull,
  size_bytes: count,
  redacted,
  created_at: text,
  expires_at: text,
};

/** A link to a page with a snapshot of a session. */
const share = shape('Share', z.strictObject(fields));

export type Share = z.infer<typeof share>;

const shareList = z.strictObject({ shares: z.array(share).readonly() });

const newShare = shape(
  'NewShare',
  z.strictObject({
    ...fields,
    path: text.meta({ description: 'Path of the page on this server. Returned only once and not stored.' }),
    url: text.meta({ description: 'Full URL of the page, if the server knows its own address.' }),
  }),
);

export type NewShare = z.infer<typeof newShare>;

const sharePreview = shape(
  'SharePreview',
  z.strictObject({ session_id: text, title: text, file_name: text, size_bytes: count, redacted }),
);
export type SharePreview = z.infer<typeof sharePreview>;

/** Endpoints that share pages of sessions with others. */
export const shareEndpoints = {
  'GET /sessions/:id/shares/preview': queryEndpoint({
    isInDemo: false,
    about: 'Preview of a share link: page size and number of replacements. Nothing is stored.',
    answer: sharePreview,
  }),
  'POST /sessions/:id/shares': commandEndpoint({
    about:
      'Creates a redacted page of the current session and a link. Anyone with the link can read the page until it expires or is revoked.',
    body: z.strictObject({
      expires_in: z
        .int()
        .min(MIN_SHARE_MS / SECOND_MS)
        .max(MAX_SHARE_MS / SECOND_MS)
        .default(DEFAULT_SHARE_MS / SECOND_MS)
        .meta({ description: 'Lifetime in seconds (default 7 days).' }),
      note: plainText(MAX_SHARE_NOTE_CHARS).optional().meta({ description: 'Private note; not shown on the page.' }),
    }),
    answer: newShare,
  }),
  'GET /sessions/:id/shares': queryEndpoint({
    isInDemo: false,
    about: 'Active links to a session, newest first.',
    answer: shareList,
  }),
  'GET /shares': queryEndpoint({ isInDemo: false, about: 'All active links, newest first.', answer: shareList }),
  'DELETE /shares/:share_id': commandEndpoint({
    about: 'Revokes a link and removes its page.',
    answer: done,
  }),
};
