import { z } from 'zod';
import { shape } from '../endpoint.ts';
import { count, text, textOrNull } from './json.ts';

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

export const shareList = z.strictObject({ shares: z.array(share).readonly() });

export const newShare = shape(
  'NewShare',
  z.strictObject({
    ...fields,
    path: text.meta({ description: 'Where the page is on this server. It is told this once and kept nowhere.' }),
    url: text.meta({ description: 'The same as an address, as far as the server knows under which one it was asked.' }),
  }),
);

export type NewShare = z.infer<typeof newShare>;

export const sharePreview = shape(
  'SharePreview',
  z.strictObject({ session_id: text, title: text, file_name: text, size_bytes: count, redacted }),
);
export type SharePreview = z.infer<typeof sharePreview>;
