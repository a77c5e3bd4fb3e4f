import type { Engine } from '../store/engine.ts';
import { withLease } from '../store/lease-holder.ts';

/** Files share a lease by the end of their id, so that there are 4,096 of them and not one for every file there ever was. */
const SHARED_BY_CHARS = 3;

/** One upload at a time for each file, among all processes of the server. Errors: busy. */
export function withUploadLease<T>(engine: Engine, fileId: string, work: () => Promise<T>): Promise<T> {
  return withLease(engine, `upload ${fileId.slice(-SHARED_BY_CHARS)}`, work);
}
