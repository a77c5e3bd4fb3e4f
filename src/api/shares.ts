import { z } from 'zod';
import { DEFAULT_SHARE_MS, MAX_SHARE_MS, MAX_SHARE_NOTE_CHARS, MIN_SHARE_MS } from '../domain/share.ts';
import { count, text, textOrNull } from './answers/json.ts';
import { done } from './answers/server.ts';
import { commandEndpoint, queryEndpoint, shape } from './endpoint.ts';
import { plainText } from './values.ts';
import { SECOND_MS } from '../domain/durations.ts';

const redacted = z
  .record(text, count)
  .readonly()
  .meta({ description: 'How much was replaced, by kind: secrets, passwords, home directories.' });

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

/** A link to a page of a session, as it was when it was shared. */
const share = shape('Share', z.strictObject(fields));

export type Share = z.infer<typeof share>;

const shareList = z.strictObject({ shares: z.array(share).readonly() });

const newShare = shape(
  'NewShare',
  z.strictObject({
    ...fields,
    path: text.meta({ description: 'Where the page is on this server. It is told this once and kept nowhere.' }),
    url: text.meta({ description: 'The same as an address, as far as the server knows under which one it was asked.' }),
  }),
);

export type NewShare = z.infer<typeof newShare>;

const sharePreview = shape(
  'SharePreview',
  z.strictObject({ session_id: text, title: text, file_name: text, size_bytes: count, redacted }),
);
export type SharePreview = z.infer<typeof sharePreview>;

/** Pages of sessions that others may read. */
export const shareEndpoints = {
  'GET /sessions/:id/shares/preview': queryEndpoint({
    isOfData: false,
    about:
      'What a link to a session would show: how large the page is and how much in it is replaced. Nothing is kept.',
    answer: sharePreview,
  }),
  'POST /sessions/:id/shares': commandEndpoint({
    about:
      'Makes a redacted page of a session as it is now, and a link by which anybody who has it can read that page until it expires or is revoked.',
    body: z.strictObject({
      expires_in: z
        .int()
        .min(MIN_SHARE_MS / SECOND_MS)
        .max(MAX_SHARE_MS / SECOND_MS)
        .default(DEFAULT_SHARE_MS / SECOND_MS)
        .meta({ description: 'Seconds; seven days when absent.' }),
      note: plainText(MAX_SHARE_NOTE_CHARS).optional().meta({ description: 'For yourself; the page does not say it.' }),
    }),
    answer: newShare,
  }),
  'GET /sessions/:id/shares': queryEndpoint({
    isOfData: false,
    about: 'The links to a session that work, newest first.',
    answer: shareList,
  }),
  'GET /shares': queryEndpoint({ isOfData: false, about: 'All links that work, newest first.', answer: shareList }),
  'DELETE /shares/:share_id': commandEndpoint({
    about: 'Revokes a link: nobody can open it any more, and its page is removed.',
    answer: done,
  }),
};
