import { z } from 'zod';
import type { Share, SharePreview } from '../../domain/share.ts';
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

const share: z.ZodType<Share> = shape('Share', z.strictObject(fields));

export const shareList = z.strictObject({ shares: z.array(share).readonly() });

export const newShare = shape(
  'NewShare',
  z.strictObject({
    ...fields,
    path: text.meta({ description: 'Where the page is on this server. It is told this once and kept nowhere.' }),
    url: text.meta({ description: 'The same as an address, as far as the server knows under which one it was asked.' }),
  }),
);

export const sharePreview: z.ZodType<SharePreview> = shape(
  'SharePreview',
  z.strictObject({ session_id: text, title: text, file_name: text, size_bytes: count, redacted }),
);
