import { createHash, timingSafeEqual } from 'node:crypto';
import { deviceTokenId } from '../domain/device-token.ts';
import type { Sender } from '../domain/device-token.ts';
import { isSameToken } from './bearer.ts';
import type { DeviceTokens } from '../app/device-tokens.ts';

/** Who asks: the token of the server or of a device, one that may only bring something, or none that is valid. */
export interface Caller {
  readonly kind: 'reader' | 'writer' | 'revoked' | 'stranger';
  /** The device token it came with; null for the server's own token, and for none. */
  readonly sender: Sender;
}

export const STRANGER: Caller = { kind: 'stranger', sender: null };

interface Known {
  /** Of the server itself. */
  readonly token: string;
  readonly tokens?: DeviceTokens | undefined;
}

/** H6, H8: of a device's token only the hash is known, and hashes are compared in constant time. */
export async function findCaller(given: string, { token, tokens }: Known): Promise<Caller> {
  if (isSameToken(given, token)) return { kind: 'reader', sender: null };
  const id = deviceTokenId(given);
  const known = id === null || tokens === undefined ? null : await tokens.find(id);
  if (known === null || tokens === undefined || !isHashOf(known.sha256, given)) return STRANGER;
  const sender = { tokenId: known.id, name: known.name };
  if (known.isRevoked) return { kind: 'revoked', sender };
  await tokens.markUsed(known.id);
  return { kind: known.isWriteOnly ? 'writer' : 'reader', sender };
}

function isHashOf(sha256: string, given: string): boolean {
  return timingSafeEqual(Buffer.from(sha256, 'hex'), createHash('sha256').update(given).digest());
}
