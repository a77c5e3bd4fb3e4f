import pg from 'pg';

const { builtins } = pg.types;

/**
 * Values are returned as SQLite returns them: integers as numbers, times as ISO text, JSON as text for our own parser.
 */
const PARSERS = new Map<number, (text: string) => unknown>([
  [builtins.INT8, toSafeInteger],
  [builtins.NUMERIC, Number],
  [builtins.TIMESTAMPTZ, (text) => new Date(text).toISOString()],
  [builtins.JSON, (text) => text],
  [builtins.JSONB, (text) => text],
]);

export const POSTGRES_TYPES = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    PARSERS.get(oid) ?? pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

function toSafeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is beyond the integers JavaScript can hold`);
  return value;
}
