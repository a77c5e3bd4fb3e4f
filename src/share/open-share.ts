import type { BlobStore } from '../domain/ports.ts';
import type { Engine } from '../store/engine.ts';
import { findLiveShare, listShareParts } from '../store/queries/people/shares.ts';
import { hashToken, isToken, SALT_BYTES } from './share-token.ts';

export interface SharedPage {
  readonly sizeBytes: number;
  read(): AsyncGenerator<Uint8Array>;
}

interface Deps {
  readonly engine: Engine;
  readonly blobs: BlobStore;
  readonly now: () => Date;
}

/** The page behind a link; null for an invalid, unknown or expired link, without telling which. */
export async function openShare({ engine, blobs, now }: Deps, token: string): Promise<SharedPage | null> {
  if (!isToken(token)) return null;
  const share = await findLiveShare(engine.kysely, hashToken(token), now().toISOString());
  if (share === null) return null;
  const parts = await listShareParts(engine.kysely, share.id);
  return { sizeBytes: share.size_bytes, read: () => readParts(blobs, parts) };
}

async function* readParts(blobs: BlobStore, parts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const sha256 of parts) yield (await blobs.get(sha256)).subarray(SALT_BYTES);
}
