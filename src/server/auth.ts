import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { ingestEndpoints } from '../api/ingest.ts';
import type { BrowserKeys, DeviceTokens } from '../app/access-keys.ts';
import { browserKeyId, deviceTokenId, type Sender } from '../domain/device.ts';
import { FuelError } from '../domain/errors.ts';
import { errorAnswer, type ServerLog } from './errors.ts';
import { MAX_FAILING_ADDRESSES, MAX_TOKEN_FAILURES, TOKEN_FAILURE_WINDOW_MS } from './limits.ts';
import type { RequestContext, Route } from './route.ts';

/** H8: hashing first makes both sides equally long, so that every comparison takes the same time. */
export function isSameToken(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

function bearerOf(authorization: string | undefined): string | null {
  return /^bearer ([!-~]{1,512})$/i.exec(authorization ?? '')?.[1] ?? null;
}

/**
 * L9: shows that the server at this host and port knows the token, without sending it. It includes the host, so that
 * an impostor on another port cannot forward the answer of the real server.
 */
export function proofOf(token: string, { nonce, host }: { readonly nonce: string; readonly host: string }): string {
  return createHmac('sha256', token).update(`${nonce}\n${host}`).digest('hex');
}

function unauthorized(isTokenGiven: boolean): FuelError {
  const message = isTokenGiven ? 'Wrong bearer token.' : 'This route requires a bearer token.';
  return new FuelError('unauthorized', message, {
    hint: 'Run `fuel-code` again; it prints a URL that contains the token.',
  });
}

function revokedToken(): FuelError {
  return new FuelError('unauthorized', 'The token of this device was revoked on the server.', {
    hint: 'Run `fuel-code devices add NAME` on the server and set serverToken to the token it prints.',
  });
}

export interface FailureCounter {
  /** Counts one failure and returns the number of failures of the address in the current minute. */
  fail(address: string): number;
}

/**
 * H9. Only failures are counted and limited: the right token always passes, so an outdated page left open in a tab, or
 * another program on this machine, cannot lock the owner out. A token of 256 bits needs no stronger protection.
 */
export function createFailureCounter(nowMs: () => number): FailureCounter {
  const windows = new Map<string, { readonly startMs: number; failures: number }>();

  return {
    fail(address) {
      const now = nowMs();
      let window = windows.get(address);
      if (window === undefined || now - window.startMs >= TOKEN_FAILURE_WINDOW_MS) {
        windows.delete(address);
        window = { startMs: now, failures: 0 };
        windows.set(address, window);
        const oldest = windows.size > MAX_FAILING_ADDRESSES ? windows.keys().next().value : undefined;
        if (oldest !== undefined) windows.delete(oldest);
      }
      window.failures += 1;
      return window.failures;
    },
  };
}

/**
 * Readers have the server's or a device's token, writers a write-only one, browsers the key that the page got for the
 * server's token; strangers have no valid token.
 */
interface Caller {
  readonly kind: 'reader' | 'writer' | 'browser' | 'revoked' | 'stranger';
  /** The device token used; null for the server's own token and for none. */
  readonly sender: Sender;
}

const STRANGER: Caller = { kind: 'stranger', sender: null };

interface KnownTokens {
  /** The server's own. */
  readonly token: string;
  readonly tokens?: DeviceTokens | undefined;
  readonly browserKeys?: BrowserKeys | undefined;
}

/** H6, H8: only the hash of a device token is stored, and hashes are compared in constant time. */
async function findCaller(given: string, { token, tokens, browserKeys }: KnownTokens): Promise<Caller> {
  if (isSameToken(given, token)) return { kind: 'reader', sender: null };
  if (browserKeys !== undefined && (await isBrowserKey(given, browserKeys))) return { kind: 'browser', sender: null };
  const id = deviceTokenId(given);
  const known = id === null || tokens === undefined ? null : await tokens.find(id);
  if (known === null || tokens === undefined || !isHashOf(known.sha256, given)) return STRANGER;
  const sender = { tokenId: known.id, name: known.name };
  if (known.isRevoked) return { kind: 'revoked', sender };
  await tokens.markUsed(known.id);
  return { kind: known.isWriteOnly ? 'writer' : 'reader', sender };
}

/** H5, H8: a revoked key is as unknown as one that never existed. */
async function isBrowserKey(given: string, browserKeys: BrowserKeys): Promise<boolean> {
  const id = browserKeyId(given);
  const sha256 = id === null ? null : await browserKeys.find(id);
  if (id === null || sha256 === null || !isHashOf(sha256, given)) return false;
  await browserKeys.markUsed(id);
  return true;
}

function isHashOf(sha256: string, given: string): boolean {
  return timingSafeEqual(Buffer.from(sha256, 'hex'), createHash('sha256').update(given).digest());
}

const INGEST: ReadonlySet<unknown> = new Set(Object.values(ingestEndpoints));

interface TokenCheck {
  readonly deps: KnownTokens & { readonly log: ServerLog };
  readonly failures: FailureCounter;
}

/** H6, H9: the error response, or null if the token allows the route. */
export async function refuseToken(
  context: RequestContext,
  route: Route,
  { deps, failures }: TokenCheck,
): Promise<Response | null> {
  const token = bearerOf(context.req.header('authorization'));
  const { kind, sender } = token === null ? STRANGER : await findCaller(token, deps);
  context.set('sender', sender);
  const isOwner = kind === 'reader' && sender === null;
  if ((kind === 'reader' || kind === 'browser') && !isOwner && route.endpoint?.needsServerToken)
    return errorAnswer(context, serverOnly());
  if (kind === 'reader' && !isOwner && route.endpoint?.isOwnersOnly) return errorAnswer(context, ownersOnly());
  if (kind === 'browser') return INGEST.has(route.endpoint) ? errorAnswer(context, readOnly()) : null;
  if (kind === 'reader' || (kind === 'writer' && INGEST.has(route.endpoint))) return null;
  if (kind === 'writer') return errorAnswer(context, writeOnly());
  const address = context.env?.incoming?.socket.remoteAddress ?? 'unknown';
  const count = failures.fail(address);
  if (count <= MAX_TOKEN_FAILURES) {
    const error = kind === 'revoked' ? revokedToken() : unauthorized(token !== null);
    return errorAnswer(context, error, { 'www-authenticate': 'Bearer' });
  }
  // Logged once a minute, so that guessing tokens cannot fill the log.
  if (count === MAX_TOKEN_FAILURES + 1) deps.log.warn('too many wrong tokens', { address });
  const error = new FuelError('rate_limited', 'Too many requests with a wrong token from this address.', {
    hint: 'Run `fuel-code` again; it prints a URL that contains the token.',
  });
  return errorAnswer(context, error, { 'retry-after': String(TOKEN_FAILURE_WINDOW_MS / 1_000) });
}

function ownersOnly(): FuelError {
  return new FuelError('forbidden', 'The token of a device cannot delete sessions on the server.', {
    hint: 'Delete the session on its device, which informs the server with the next upload, or use the server token.',
  });
}

function writeOnly(): FuelError {
  return new FuelError('forbidden', 'This device token can upload sessions but not read any.', {
    hint: 'Use the server token, or create a device token without --write-only.',
  });
}

function readOnly(): FuelError {
  return new FuelError('forbidden', 'The key of a browser cannot upload sessions.', {
    hint: 'Use a device token: run `fuel-code devices add NAME` on the server.',
  });
}

/** E16: by merging, one device could take over the sessions of another. */
function serverOnly(): FuelError {
  return new FuelError(
    'forbidden',
    "Renaming and merging devices and giving browsers access require the server's own token.",
    {
      hint: 'Run `fuel-code devices` on the server itself.',
    },
  );
}
