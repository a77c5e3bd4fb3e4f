import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { RequestContext } from './route.ts';

/** Compresses answers on Node's thread pool. Streams, ranges and downloads are sent as they are. */

export type Encoding = 'br' | 'gzip';

/** Shorter bodies fit into one packet anyway. */
const MIN_BYTES = 1_024;

const COMPRESS: Readonly<Record<Encoding, (bytes: Uint8Array, quality: Quality) => Promise<Uint8Array>>> = {
  br: (bytes, quality) => brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: quality.br } }),
  gzip: (bytes, quality) => zip(bytes, { level: quality.gzip }),
};
const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

export interface Quality {
  readonly br: number;
  readonly gzip: number;
}

/** For answers that are made once: about as fast as a local connection needs. */
export const FAST: Quality = { br: 3, gzip: 3 };
/** For files that are kept compressed. */
export const SMALL: Quality = { br: 9, gzip: 9 };

/** The encoding that the client accepts and that compresses best; null if it accepts none of ours. */
export function acceptedEncoding(header: string | undefined): Encoding | null {
  const accepted = new Set<string>();
  for (const part of header?.split(',') ?? []) {
    const [name = '', ...parameters] = part.split(';').map((word) => word.trim().toLowerCase());
    if (!parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))) accepted.add(name);
  }
  return accepted.has('br') ? 'br' : accepted.has('gzip') ? 'gzip' : null;
}

export interface Compressed {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly headers: Readonly<Record<string, string>>;
}

export async function compress(bytes: Uint8Array, encoding: Encoding | null, quality: Quality): Promise<Compressed> {
  const isWorthIt = bytes.length >= MIN_BYTES;
  const headers: Record<string, string> = isWorthIt ? { vary: 'accept-encoding' } : {};
  if (!isWorthIt || encoding === null) return { bytes: new Uint8Array(bytes), headers };
  const small = await COMPRESS[encoding](bytes, quality);
  return { bytes: new Uint8Array(small), headers: { ...headers, 'content-encoding': encoding } };
}

/**
 * Sends an answer as JSON. The size of a compressed answer could reveal a secret next to text chosen by an attacker.
 * Requests need a token that other origins cannot send, so an attacker cannot cause an answer; new keys and links are only
 * in answers to POST, which are not compressed.
 */
export async function sendJson(context: RequestContext, answer: unknown): Promise<Response> {
  const encoding = context.req.method === 'GET' ? acceptedEncoding(context.req.header('accept-encoding')) : null;
  const { bytes, headers } = await compress(new TextEncoder().encode(JSON.stringify(answer)), encoding, FAST);
  return context.body(bytes, 200, { 'content-type': 'application/json', ...headers });
}
