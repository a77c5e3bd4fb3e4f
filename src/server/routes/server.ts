import type { serverEndpoints } from '../../api/server.ts';
import { FuelError } from '../../domain/errors.ts';
import { proofOf } from '../bearer.ts';
import { hostOf } from '../security.ts';
import type { Handlers } from '../route.ts';

export const serverHandlers: Handlers<typeof serverEndpoints> = {
  'GET /health': ({ query: { nonce }, context }, { token, version }) => {
    const proof = nonce === undefined ? {} : { proof: proofOf(token, { nonce, host: hostOf(context) }) };
    return { status: 'ok', version, ...proof };
  },
  'GET /ready': async (_, { reads }) => {
    // Whoever asks may be a stranger: what exactly is wrong is for the log.
    await reads.ping().catch((cause: unknown) => {
      throw new FuelError('store_unavailable', 'The database does not answer.', { cause });
    });
    return { status: 'ready' };
  },
  'GET /openapi.json': (_, { openApi }) => openApi() as Record<string, unknown>,
  'GET /metrics': async ({ context }, { reads, metrics, streams, version }) =>
    context.text(metrics.render({ status: await reads.status(), liveStreams: streams.count(), version })),
  'POST /demo': async (_, { demo }) => {
    await demo.open();
    return { ok: true };
  },
  'GET /status': (_, { reads }) => reads.status(),
};
