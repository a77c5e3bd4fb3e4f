import process from 'node:process';
import { FuelError } from '../domain/errors.ts';
import { identityOf, isAlive, parseIdentity } from '../lib/process-identity.ts';
import type { Engine } from './engine.ts';
import { acquireLease, type Lease, readLease, releaseLease, renewLease } from './queries/leases.ts';

const LEASE_MS = 30_000;
const HEARTBEAT_MS = LEASE_MS / 3;

/** Does the work while holding the lease. Errors: busy when somebody else holds it. */
export async function withLease<T>(engine: Engine, name: string, work: () => Promise<T>): Promise<T> {
  const lease = await acquire(engine, name);
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
    // On a disk that just became full this fails too; then whoever comes next sees that we no longer live.
    await releaseLease(engine, lease).catch(() => {});
  }
}

/** A holder on this machine that was killed does not make others wait until its time is up. */
async function acquire(engine: Engine, name: string): Promise<Lease | null> {
  const holder = JSON.stringify(identityOf(process.pid));
  const lease = await acquireLease(engine, name, holder, LEASE_MS);
  if (lease !== null) return lease;
  const other = await readLease(engine, name);
  const identity = other === null ? null : parseIdentity(other.holder);
  const isOurMachine = identity !== null && identity.boot !== '' && identity.boot === identityOf(process.pid).boot;
  if (other === null || !isOurMachine || isAlive(identity)) return null;
  await releaseLease(engine, other);
  return acquireLease(engine, name, holder, LEASE_MS);
}
