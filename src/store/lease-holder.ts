import { randomUUID } from 'node:crypto';
import process from 'node:process';
import { FuelError } from '../domain/errors.ts';
import { identityOf, isAlive, parseIdentity } from '../lib/process-identity.ts';
import type { Engine } from './engine.ts';
import { acquireLease, type Lease, readLease, releaseLease, renewLease } from './queries/claims/leases.ts';

const LEASE_MS = 30_000;
const HEARTBEAT_MS = LEASE_MS / 3;

/** The holder name of each open store, and the leases it holds or is acquiring. */
const openings = new WeakMap<Engine, { readonly holder: string; readonly names: Set<string> }>();

function openingOf(engine: Engine) {
  const known = openings.get(engine);
  if (known !== undefined) return known;
  const holder = JSON.stringify({ ...identityOf(process.pid), opened: randomUUID() });
  const opening = { holder, names: new Set<string>() };
  openings.set(engine, opening);
  return opening;
}

/** Runs the work while holding the lease. Errors: busy when another process holds it. */
export async function withLease<T>(engine: Engine, name: string, work: () => Promise<T>): Promise<T> {
  const { holder, names } = openingOf(engine);
  if (names.has(name)) throw isImporting();
  names.add(name);
  try {
    const lease = await acquire(engine, name, holder);
    if (lease === null) throw isImporting();
    return await workWith(engine, lease, work);
  } finally {
    names.delete(name);
  }
}

function isImporting(): FuelError {
  return new FuelError('busy', 'Another fuel-code process is importing into this data folder.', {
    hint: 'It does the same work; wait for it to finish.',
  });
}

async function workWith<T>(engine: Engine, lease: Lease, work: () => Promise<T>): Promise<T> {
  // A failed heartbeat is not fatal: the lease expires by itself, and the work's own writes detect that.
  const heartbeat = setInterval(() => void renewLease(engine, lease, LEASE_MS).catch(() => {}), HEARTBEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    // This may fail too, on a full disk or a lost connection; the next process then sees that the holder is dead.
    await releaseLease(engine, lease).catch(() => {});
  }
}

/** Nobody waits for a holder that was killed on this machine, nor for one of our own that could not be released. */
async function acquire(engine: Engine, name: string, holder: string): Promise<Lease | null> {
  const lease = await acquireLease(engine, name, holder, LEASE_MS);
  if (lease !== null) return lease;
  const other = await readLease(engine, name);
  if (other === null || !(other.holder === holder || isDead(other.holder))) return null;
  await releaseLease(engine, other);
  return acquireLease(engine, name, holder, LEASE_MS);
}

function isDead(holder: string): boolean {
  const identity = parseIdentity(holder);
  const isOurMachine = identity !== null && identity.boot !== '' && identity.boot === identityOf(process.pid).boot;
  return isOurMachine && !isAlive(identity);
}
