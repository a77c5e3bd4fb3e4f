import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { FuelError } from '../domain/errors.ts';
import { type Client, createClient, type Transport } from './client.ts';

export interface RemoteServer {
  /** For example http://127.0.0.1:4680, without a path. */
  readonly origin: string;
  readonly token: string;
  readonly transport?: Transport;
}

const NONCE_BYTES = 32;

/**
 * L9: a client of a server that has shown that it knows the token already. Before that, the token is not sent: on the
 * port that we remember, a stranger may be listening now. Errors: unreachable.
 */
export async function connectServer({ origin, token, transport }: RemoteServer): Promise<Client> {
  const over = transport === undefined ? {} : { transport };
  const nonce = randomBytes(NONCE_BYTES).toString('hex');
  const stranger = createClient({ origin, token: () => null, ...over });
  const { proof = '' } = await stranger.get('/health', { query: { nonce } });
  if (
    !isProof(
      proof,
      createHmac('sha256', token)
        .update(`${nonce}\n${new URL(origin).host}`)
        .digest('hex'),
    )
  ) {
    throw new FuelError('unreachable', `What answers at ${origin} is not the fuel-code it should be.`, {
      hint: 'Run `fuel-code` again; the token was not sent.',
    });
  }
  return createClient({ origin, token: () => token, ...over });
}

function isProof(given: string, wanted: string): boolean {
  return /^[0-9a-f]{64}$/.test(given) && timingSafeEqual(Buffer.from(given), Buffer.from(wanted));
}
