import type { Engine } from '../../src/store/engine.ts';

/** Lets all claims and leases expire, as for a process that is suspended or has lost its database. */
export async function expireClaims({ kysely }: Engine): Promise<void> {
  await kysely.updateTable('sessions').set({ claim_expires_at_ms: 1 }).execute();
  await kysely.updateTable('leases').set({ expires_at_ms: 1 }).execute();
}
