import { z } from 'zod';
import { shape } from '../endpoint.ts';
import { count, text, textOrNull } from './json.ts';

/** Put together in order, each part a run of a zstd frame, they are the file. */
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
