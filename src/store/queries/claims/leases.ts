import { randomUUID } from 'node:crypto';
import process from 'node:process';
import { sql } from 'kysely';
import { FuelError } from '../../../domain/errors.ts';
import {
  identityOf,
  isAlive,
  isSameProcess,
  type ProcessIdentity,
  parseIdentity,
} from '../../../lib/process-identity.ts';
import type { Engine } from '../../engine.ts';

interface Lease {
  readonly name: string;
  readonly holder: string;
  /** Increases with every new holder: a write with an old token comes from a process that lost the lease. */
  readonly token: number;
}

/** Acquires a lease that is free or expired by the database's clock. Null when another process holds it. */
export async function acquireLease(
  engine: Engine,
  name: string,
  holder: string,
  durationMs: number,
): Promise<Lease | null> {
  const { rows } = await sql<{ token: number }>`
    INSERT INTO leases (name, holder, token, expires_at_ms)
    VALUES (${name}, ${holder}, 1, ${engine.nowMs} + ${sql.lit(durationMs)})
    ON CONFLICT (name) DO UPDATE
      SET holder = excluded.holder, token = leases.token + 1, expires_at_ms = excluded.expires_at_ms
      WHERE leases.expires_at_ms < ${engine.nowMs}
    RETURNING token`.execute(engine.kysely);
  const token = rows[0]?.token;
  return token === undefined ? null : { name, holder, token };
}

/** Extends a lease; false when it was lost. */
export async function renewLease(engine: Engine, lease: Lease, durationMs: number): Promise<boolean> {
  const result = await engine.kysely
    .updateTable('leases')
    .set({ expires_at_ms: sql`${engine.nowMs} + ${sql.lit(durationMs)}` })
    .where('name', '=', lease.name)
    .where('holder', '=', lease.holder)
    .where('token', '=', lease.token)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** The current or last holder of a lease. */
async function readLease(engine: Engine, name: string): Promise<Lease | null> {
  const row = await engine.kysely
    .selectFrom('leases')
    .select(['name', 'holder', 'token'])
    .where('name', '=', name)
    .executeTakeFirst();
  return row ?? null;
}

/** Whether anyone holds a lease whose name starts with one of these, apart from one of them. */
export async function isAnyLeased(engine: Engine, prefixes: readonly string[], except = ''): Promise<boolean> {
  const row = await engine.kysely
    .selectFrom('leases')
    .select('name')
    .where((where) => where.or(prefixes.map((prefix) => where('name', 'like', `${prefix}%`))))
    .where('expires_at_ms', '>', engine.nowMs)
    .where('name', '<>', except)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Releases our own lease or that of a holder known to be dead; does nothing if it was already lost. */
export async function releaseLease(engine: Engine, lease: Lease): Promise<void> {
  await engine.kysely
    .updateTable('leases')
    .set({ expires_at_ms: 0 })
    .where('name', '=', lease.name)
    .where('token', '=', lease.token)
    .execute();
}

/** Releases the leases of terminated threads of this process; those of this store itself stay. */
export async function releaseLeasesOf(engine: Engine, process: ProcessIdentity): Promise<void> {
  const { holder: own } = openingOf(engine);
  const held = await engine.kysely
    .selectFrom('leases')
    .select(['name', 'holder', 'token'])
    .where('expires_at_ms', '>', 0)
    .where('holder', '<>', own)
    .execute();
  for (const lease of held) {
    const identity = parseIdentity(lease.holder);
    if (identity !== null && isSameProcess(identity, process)) await releaseLease(engine, lease);
  }
}

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
    if (isOfCapture(name) && !names.has(PURGE_LEASE) && (await isAnyLeased(engine, [PURGE_LEASE]))) {
      await releaseLease(engine, lease);
      throw isImporting();
    }
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

/** Takes over the lease of a process that was killed on this machine, and one of our own that could not be released. */
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

/** Held by the process that imports the files of a device. */
export function importLease(deviceId: string): string {
  return `import ${deviceId}`;
}

/** Held while a chunk of a shipped file is stored; files with the same key wait for each other. */
export function uploadLease(key: string): string {
  return `upload ${key}`;
}

/** Prefixes of the leases under which captures are recorded. */
export const CAPTURE_LEASES: readonly string[] = [importLease(''), uploadLease('')];

function isOfCapture(name: string): boolean {
  return CAPTURE_LEASES.some((prefix) => name.startsWith(prefix));
}

/** Held while blobs are removed. */
const PURGE_LEASE = 'purge';

/**
 * Runs the work while nothing is captured: a capture relies on existing blobs, which must not be removed under it. Of a
 * capture and a purge that start together, the later one sees the lease of the other and gives up. Errors: busy.
 */
export async function withoutCaptures<T>(engine: Engine, deviceId: string, work: () => Promise<T>): Promise<T> {
  const own = importLease(deviceId);
  return withLease(engine, own, () =>
    withLease(engine, PURGE_LEASE, async () => {
      if (await isAnyLeased(engine, CAPTURE_LEASES, own)) throw isImporting();
      return work();
    }),
  );
}
