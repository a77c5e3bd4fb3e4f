import { CompiledQuery } from 'kysely';
import type { Ask, Row } from '../queries/usage/status-figures.ts';
import { openPostgres } from './open.ts';

/** The status line is waiting. */
const MAX_STATEMENT_MS = 1_000;

/** The same queries for PostgreSQL, with numbered parameters. Errors: those of the driver. */
export function openPostgresAsk(databaseUrl: string): { readonly ask: Ask; close(): Promise<void> } {
  const { kysely, close } = openPostgres(databaseUrl, { onIdleError: () => {}, maxStatementMs: MAX_STATEMENT_MS });
  return {
    ask: async (sql, parameters) => {
      let number = 0;
      const text = sql.replaceAll('?', () => `$${(number += 1)}`);
      return (await kysely.executeQuery<Row>(CompiledQuery.raw(text, [...parameters]))).rows;
    },
    close,
  };
}
