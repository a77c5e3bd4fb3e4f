import { z } from 'zod';
import { serverEndpoint } from './endpoint.ts';
import { eventBatchSchema, gitBatchSchema, ingestResultsSchema, storedSchema } from './upload-schema.ts';

export const transcriptAnswer = z.strictObject({
  status: z.enum(['uploaded', 'already_uploaded']),
  size_bytes: z.number(),
  sha256: z.string(),
  generation: z.number(),
});

/** Uploads from other devices. */
export const ingestEndpoints = {
  'POST /events/ingest': serverEndpoint({
    about: 'Accepts up to 200 events from another device and returns a result for each.',
    body: eventBatchSchema,
    answer: ingestResultsSchema,
  }),
  'POST /git/ingest': serverEndpoint({
    about: 'Accepts up to 200 git activities from another device and returns a result for each.',
    body: gitBatchSchema,
    answer: ingestResultsSchema,
  }),
  'POST /files/upload': serverEndpoint({
    about: 'Accepts a chunk of a file from another device, described by the header `Fuel-Upload`.',
    body: 'bytes',
    answer: storedSchema,
  }),
  'POST /sessions/:id/transcript/upload': serverEndpoint({
    about:
      'Accepts the complete transcript of a session; changed bytes are stored as a new generation. An unknown session is created from the header `Fuel-Session`.',
    body: 'bytes',
    answer: transcriptAnswer,
  }),
};
