import { z } from 'zod';
import { proofOf } from '../bearer.ts';
import { parseQuery } from '../input.ts';
import { MAX_NONCE_CHARS, MIN_NONCE_CHARS } from '../limits.ts';
import type { Route } from '../route.ts';

const healthQuery = z.strictObject({
  nonce: z
    .string()
    .regex(
      new RegExp(`^[0-9a-f]{${MIN_NONCE_CHARS},${MAX_NONCE_CHARS}}$`),
      `must be ${MIN_NONCE_CHARS} to ${MAX_NONCE_CHARS} hex digits`,
    )
    .optional(),
});

export const healthRoute: Route = {
  method: 'GET',
  path: '/api/health',
  about: 'Whether the server is up, its version and, for a nonce, the proof that it knows the token.',
  access: 'open',
  handle(context, scope) {
    const { nonce } = parseQuery(context, healthQuery);
    const proof = nonce === undefined ? {} : { proof: proofOf(scope.token, nonce) };
    return context.json({ status: 'ok', version: scope.version, ...proof });
  },
};
