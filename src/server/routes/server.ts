import { FuelError } from '../../domain/errors.ts';
import { proofOf } from '../bearer.ts';
import { hostOf } from '../security.ts';
import type { Handlers } from '../route.ts';

export const serverHandlers = {
  'GET /health': async ({ query: { nonce, device_token }, context }, { token, tokens, version }) => {
    if (nonce === undefined) return { status: 'ok', version };
    const known = device_token === undefined ? null : ((await tokens?.find(device_token)) ?? null);
    // Of a device's token we have no more than the hash; that is what both sides prove to know.
    const secret = known === null || known.isRevoked ? token : known.sha256;
    return { status: 'ok', version, proof: proofOf(secret, { nonce, host: hostOf(context) }) };
  },
  'GET /ready': async (_, { data }) => {
    // Anyone may ask, so details go to the log only.
    await data.ping().catch((cause: unknown) => {
      throw new FuelError('store_unavailable', 'The database is not responding.', { cause });
    });
    return { status: 'ready' };
  },
  'GET /openapi.json': (_, { openApi }) => openApi() as Record<string, unknown>,
  'GET /metrics': async ({ context }, { data, metrics, streams, version }) =>
    context.text(metrics.render({ status: await data.get('/status'), liveStreams: streams.count(), version })),
  'POST /demo': async (_, { demo }) => {
    await demo.open();
    return { ok: true };
  },
} satisfies Partial<Handlers>;
