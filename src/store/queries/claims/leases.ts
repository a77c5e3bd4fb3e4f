import { sql } from 'kysely';
import type { Engine } from '../../engine.ts';

export interface Lease {
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
export async function readLease(engine: Engine, name: string): Promise<Lease | null> {
  const row = await engine.kysely
    .selectFrom('leases')
    .select(['name', 'holder', 'token'])
    .where('name', '=', name)
    .executeTakeFirst();
  return row ?? null;
}

/** Whether anyone holds a lease whose name starts with one of these. */
export async function isAnyLeased(engine: Engine, prefixes: readonly string[]): Promise<boolean> {
  const row = await engine.kysely
    .selectFrom('leases')
    .select('name')
    .where((where) => where.or(prefixes.map((prefix) => where('name', 'like', `${prefix}%`))))
    .where('expires_at_ms', '>', engine.nowMs)
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
