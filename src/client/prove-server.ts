import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { deviceTokenId } from '../domain/device.ts';
import { FuelError } from '../domain/errors.ts';
import { type Client, createClient, type Transport } from './client.ts';

export interface RemoteServer {
  /** For example http://127.0.0.1:4680, without a path. */
  readonly origin: string;
  readonly token: string;
  readonly transport?: Transport;
  /** Aborts waiting for the proof. */
  readonly proofSignal?: AbortSignal;
}

const NONCE_BYTES = 32;

/**
 * L9: connects to a server after it has proved that it knows the token. The token is not sent before that because
 * another program may now be listening on the remembered port. Errors: unreachable, unauthorized.
 */
export async function connectServer({ origin, token, transport, proofSignal }: RemoteServer): Promise<Client> {
  const over = transport === undefined ? {} : { transport };
  const nonce = randomBytes(NONCE_BYTES).toString('hex');
  const id = deviceTokenId(token);
  const secret = id === null ? token : createHash('sha256').update(token).digest('hex');
  const anonymous = createClient({ origin, token: () => null, ...over });
  const health = await anonymous.get('/health', {
    query: { nonce, ...(id === null ? {} : { device_token: id }) },
    ...(proofSignal === undefined ? {} : { signal: proofSignal }),
  });
  const proof: unknown = Object(health).proof;
  if (!isProof(proof)) throw notOurs(origin);
  if (!isSame(proof, proofOf(secret, `${nonce}\n${new URL(origin).host}`))) throw notTheToken(origin);
  return createClient({ origin, token: () => token, ...over });
}

function isProof(given: unknown): given is string {
  return typeof given === 'string' && /^[0-9a-f]{64}$/.test(given);
}

function proofOf(token: string, question: string): string {
  return createHmac('sha256', token).update(question).digest('hex');
}

function isSame(given: string, wanted: string): boolean {
  return timingSafeEqual(Buffer.from(given), Buffer.from(wanted));
}

function notOurs(origin: string): FuelError {
  return new FuelError('unreachable', `The server at ${origin} is not a fuel-code server.`, {
    hint: 'Check the URL. The token was not sent.',
  });
}

/** A wrong token, an impostor and a proxy that changes the host cannot be distinguished here. */
function notTheToken(origin: string): FuelError {
  return new FuelError('unauthorized', `The server at ${origin} does not accept the token.`, {
    hint: 'Compare it with the file `token` on the server, or run `fuel-code devices tokens` there. A proxy must pass `Host` through. The token was not sent.',
  });
}
