import { env } from 'node:process';
import { claimNext } from '../../src/store/queries/claims/claims.ts';
import { openStore } from '../../src/store/store.ts';

// A separate process with several claimers: each claims sessions until none is left and prints those it got.
const CLAIMERS = 2;
await using store = await openStore({
  databaseUrl: env.DATABASE_URL ?? null,
  sqlitePath: env.SQLITE_PATH ?? '',
  onIdleError: (error) => {
    throw error;
  },
});

async function claimAll(holder: string): Promise<string[]> {
  const got: string[] = [];
  for (;;) {
    const claim = await claimNext(store.engine, 'parse', { holder, parserVersion: 1 });
    if (claim === null) return got;
    got.push(claim.sessionId);
  }
}

const claimers = Array.from({ length: CLAIMERS }, (_, n) => claimAll(`${process.pid}-${n}`));
console.log(JSON.stringify(await Promise.all(claimers)));
