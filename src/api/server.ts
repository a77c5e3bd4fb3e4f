import { z } from 'zod';
import { DEVICE_TOKEN_ID } from '../domain/device-token.ts';
import { done, health, readiness, statusReport } from './answers/server.ts';
import { queryEndpoint, serverEndpoint } from './endpoint.ts';
import { MAX_NONCE_CHARS, MIN_NONCE_CHARS } from './limits.ts';

const nonce = z
  .string()
  .regex(
    new RegExp(`^[0-9a-f]{${MIN_NONCE_CHARS},${MAX_NONCE_CHARS}}$`),
    `must be ${MIN_NONCE_CHARS} to ${MAX_NONCE_CHARS} hex digits`,
  );

const deviceToken = z.string().regex(DEVICE_TOKEN_ID, 'must be the middle part of a device token');

/** Endpoints about the server itself. */
export const serverEndpoints = {
  'GET /health': serverEndpoint({
    about:
      'Whether the server is up, its version and, if a nonce is given, proof that it knows the server or device token.',
    access: 'open',
    query: z.strictObject({ nonce: nonce.optional(), device_token: deviceToken.optional() }),
    answer: health,
  }),
  'GET /ready': serverEndpoint({
    about: 'Whether the database responds: 200 or 503.',
    access: 'open',
    answer: readiness,
  }),
  'GET /openapi.json': serverEndpoint({
    about: 'This API as an OpenAPI 3.1 document.',
    access: 'open',
    answer: z.record(z.string(), z.unknown()),
  }),
  'GET /metrics': serverEndpoint({
    about: 'Request and storage metrics in the Prometheus text format.',
    answer: 'text',
  }),
  'POST /demo': serverEndpoint({
    about: 'Loads the demo sessions into a separate data folder and enables /demo/api.',
    answer: done,
  }),
  'GET /status': queryEndpoint({
    about: 'What is stored and where, import progress, running sessions and today’s usage.',
    answer: statusReport,
  }),
};
