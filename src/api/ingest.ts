import { z } from 'zod';
import { serverEndpoint } from './endpoint.ts';
import { eventBatchSchema, gitBatchSchema, ingestResultsSchema, storedSchema } from './upload-schema.ts';

export const transcriptAnswer = z.strictObject({
  status: z.enum(['uploaded', 'already_uploaded']),
  size_bytes: z.number(),
  sha256: z.string(),
  generation: z.number(),
});

/** What other devices bring. */
export const ingestEndpoints = {
  'POST /events/ingest': serverEndpoint({
    about: 'Takes events of another device, up to 200 at a time; says of each what became of it.',
    body: eventBatchSchema,
    answer: ingestResultsSchema,
  }),
  'POST /git/ingest': serverEndpoint({
    about: 'Takes what another device read in its repositories, up to 200 at a time; says of each what became of it.',
    body: gitBatchSchema,
    answer: ingestResultsSchema,
  }),
  'POST /files/upload': serverEndpoint({
    about: 'Takes a chunk of a file of another device, described by the header `Fuel-Upload`.',
    body: 'bytes',
    answer: storedSchema,
  }),
  'POST /sessions/:id/transcript/upload': serverEndpoint({
    about:
      'Takes the whole transcript of a session; other bytes than before are kept as a new generation. A session that is not known yet is created from the header `Fuel-Session`.',
    body: 'bytes',
    answer: transcriptAnswer,
  }),
};
