import type { Engine } from '../store/engine.ts';
import { uploadLease, withLease } from '../store/queries/claims/leases.ts';

/** Files share leases by the end of their id, which limits the number of leases to 4,096. */
const SHARED_BY_CHARS = 3;

/** Allows one upload per file at a time across all server processes. Errors: busy. */
export function withUploadLease<T>(engine: Engine, fileId: string, work: () => Promise<T>): Promise<T> {
  return withLease(engine, uploadLease(fileId.slice(-SHARED_BY_CHARS)), work);
}
