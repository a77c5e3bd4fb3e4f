import type { BlobStore } from '../domain/ports.ts';
import type { Engine } from '../store/engine.ts';
import { listBlobAddresses } from '../store/queries/archive/archive.ts';

/** Finds blobs that the store refers to and the archive does not list. Does not read them; `verify` does. */
export async function findMissingBlobs({
  store,
  blobs,
}: {
  readonly store: { readonly engine: Engine };
  readonly blobs: BlobStore;
}): Promise<readonly string[]> {
  const there = new Set<string>();
  for await (const sha256 of blobs.list()) there.add(sha256);
  return (await listBlobAddresses(store.engine.kysely)).filter((sha256) => !there.has(sha256));
}
