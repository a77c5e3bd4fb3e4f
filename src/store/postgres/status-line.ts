import { CompiledQuery } from 'kysely';
import type { Row, RunQuery } from '../queries/usage/status-figures.ts';
import { openPostgres } from './open.ts';

const MAX_STATEMENT_MS = 1_000;

/** The queries of the status line on PostgreSQL. Errors: those of the driver. */
export function openPostgresForStatusLine(databaseUrl: string): {
  readonly runQuery: RunQuery;
  close(): Promise<void>;
} {
  const { kysely, close } = openPostgres(databaseUrl, { onIdleError: () => {}, maxStatementMs: MAX_STATEMENT_MS });
  return {
    runQuery: async (sql, parameters) => {
      let number = 0;
      const text = sql.replaceAll('?', () => `$${(number += 1)}`);
      return (await kysely.executeQuery<Row>(CompiledQuery.raw(text, [...parameters]))).rows;
    },
    close,
  };
}
