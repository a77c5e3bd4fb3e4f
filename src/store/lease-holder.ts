import { FuelError } from '../domain/errors.ts';
import type { Engine } from './engine.ts';
import { acquireLease, releaseLease, renewLease } from './queries/leases.ts';

const LEASE_MS = 30_000;
const HEARTBEAT_MS = LEASE_MS / 3;

/** Does the work while holding the lease. Errors: busy when somebody else holds it. */
export async function withLease<T>(
  engine: Engine,
  { name, holder }: { readonly name: string; readonly holder: string },
  work: () => Promise<T>,
): Promise<T> {
  const lease = await acquireLease(engine, name, holder, LEASE_MS);
  if (lease === null) {
    throw new FuelError('busy', 'Another fuel-code is importing into this data folder.', {
      hint: 'It does the same work; wait for it to finish.',
    });
  }
  // A heartbeat that fails is not the end: the lease runs out by itself, and the work's own writes will tell.
  const heartbeat = setInterval(() => void renewLease(engine, lease, LEASE_MS).catch(() => {}), HEARTBEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    await releaseLease(engine, lease);
  }
}
