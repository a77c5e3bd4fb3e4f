import { sql } from 'kysely';
import { openStore } from '../../src/store/store.ts';

// A separate process that opens a store, prints its number of migrations and exits.
await using store = await openStore({
  databaseUrl: process.env.DATABASE_URL ?? null,
  sqlitePath: process.env.SQLITE_PATH ?? '',
  onIdleError: (error) => {
    throw error;
  },
});
const { rows } = await sql<{ count: number }>`SELECT count(*) AS count FROM schema_migrations`.execute(
  store.engine.kysely,
);
console.log(Number(rows[0]?.count));
