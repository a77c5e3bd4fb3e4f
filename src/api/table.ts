import { aroundEndpoints } from './around.ts';
import type { Endpoint, EndpointName } from './endpoint.ts';
import { ingestEndpoints } from './ingest.ts';
import { liveEndpoints } from './live.ts';
import { peopleEndpoints } from './people.ts';
import { searchEndpoints } from './search.ts';
import { serverEndpoints } from './server.ts';
import { sessionEndpoints } from './sessions.ts';
import { shareEndpoints } from './shares.ts';
import { structureEndpoints } from './structure.ts';
import { transcriptEndpoints } from './transcript.ts';
import { usageEndpoints } from './usage.ts';
import { workEndpoints } from './work.ts';

/**
 * Every endpoint of the HTTP API below `/api`. Routes, validation, the OpenAPI document, the manual and the types of
 * the client are generated from this table; the compiler requires a handler for each entry.
 */
export const API = {
  ...serverEndpoints,
  ...sessionEndpoints,
  ...peopleEndpoints,
  ...shareEndpoints,
  ...transcriptEndpoints,
  ...structureEndpoints,
  ...aroundEndpoints,
  ...usageEndpoints,
  ...workEndpoints,
  ...searchEndpoints,
  ...liveEndpoints,
  ...ingestEndpoints,
} satisfies Readonly<Record<EndpointName, Endpoint>>;

export type Api = typeof API;
