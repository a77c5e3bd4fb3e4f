import { createHash, timingSafeEqual } from 'node:crypto';
import { deviceTokenId } from '../domain/device-token.ts';
import { isSameToken } from './bearer.ts';
import type { DeviceTokens } from './device-tokens.ts';

/** Who asks: the token of the server or of a device, one that may only bring something, or none that is valid. */
export type Caller = 'reader' | 'writer' | 'revoked' | 'stranger';

interface Known {
  /** Of the server itself. */
  readonly token: string;
  readonly tokens?: DeviceTokens | undefined;
}

/** H6, H8: of a device's token only the hash is known, and hashes are compared in constant time. */
export async function findCaller(given: string, { token, tokens }: Known): Promise<Caller> {
  if (isSameToken(given, token)) return 'reader';
  const id = deviceTokenId(given);
  const known = id === null || tokens === undefined ? null : await tokens.find(id);
  if (known === null || tokens === undefined || !isHashOf(known.sha256, given)) return 'stranger';
  if (known.isRevoked) return 'revoked';
  await tokens.markUsed(known.id);
  return known.isWriteOnly ? 'writer' : 'reader';
}

function isHashOf(sha256: string, given: string): boolean {
  return timingSafeEqual(Buffer.from(sha256, 'hex'), createHash('sha256').update(given).digest());
}
