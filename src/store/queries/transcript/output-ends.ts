import { sql } from 'kysely';

const END_CHARS = sql.lit(32_000);

/** The output of a shell command; of a long one the beginning and the end. */
export const OUTPUT_ENDS = sql<string | null>`CASE WHEN length(result_text) <= 2 * ${END_CHARS} THEN result_text
  ELSE substr(result_text, 1, ${END_CHARS}) || ${sql.lit('\n')}
    || substr(result_text, length(result_text) - ${END_CHARS} + 1) END`;
