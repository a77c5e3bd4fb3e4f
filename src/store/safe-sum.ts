import { type RawBuilder, sql } from 'kysely';

/**
 * A sum that both engines can return to JavaScript: capped at the largest exact integer. Reading a larger one fails the
 * whole query on SQLite and loses digits on PostgreSQL. Null when there is nothing to add.
 */
export function safeSum(value: RawBuilder<unknown>): RawBuilder<number | null> {
  const most = sql.lit(Number.MAX_SAFE_INTEGER);
  return sql<number | null>`CAST(CASE WHEN sum(${value}) > ${most} THEN ${most} ELSE sum(${value}) END AS BIGINT)`;
}

/** The same, but 0 when there is nothing to add. */
export function safeSumOrZero(value: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`coalesce(${safeSum(value)}, 0)`;
}
