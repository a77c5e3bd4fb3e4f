import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { BlobStore } from '../../src/domain/ports.ts';

/** An in-memory archive; reading a blob that was never stored fails the test. */
export function createMemoryBlobs(): BlobStore & { failNext: boolean } {
  const kept = new Map<string, Uint8Array>();
  return {
    failNext: false,
    async put(bytes) {
      if (this.failNext) throw new Error('killed before the blob was safe');
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      kept.set(sha256, Buffer.from(bytes));
      return { sha256, sizeBytes: bytes.length, storedBytes: bytes.length };
    },
    get: async (sha256) => kept.get(sha256) ?? expect.fail(`blob ${sha256} is gone`),
    has: async (sha256) => kept.has(sha256),
    delete: async () => {},
    list: async function* () {},
    close: async () => {},
  };
}
