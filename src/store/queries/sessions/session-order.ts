import { type RawBuilder, sql } from 'kysely';
import { FuelError } from '../../../domain/errors.ts';
import type { ListOrder, SessionSort } from '../../../domain/session-sort.ts';
import type { Engine } from '../../engine.ts';
import { cleanTime } from '../../text.ts';
import type { Condition } from './session-conditions.ts';

/** Tokens of all kinds; null while a session is not parsed. */
export const TOKENS = sql<number | null>`(s.tokens_in + coalesce(s.tokens_out, 0)
  + coalesce(s.cache_read_tokens, 0) + coalesce(s.cache_write_tokens, 0))`;

/** Longer titles would not fit into a cursor; titles that differ only after this are ordered by id. */
const MAX_TITLE_KEY_CHARS = 100;

const KEYS: Readonly<Record<SessionSort, (engine: Engine) => RawBuilder<unknown>>> = {
  time: () => sql`s.started_at`,
  cost: () => sql`s.cost_nanos`,
  duration: () => sql`s.duration_ms`,
  tokens: () => TOKENS,
  messages: () => sql`s.total_messages`,
  lines: () => sql`(SELECT CAST(sum(x.lines_added + x.lines_removed) AS BIGINT) FROM touched_files x
    WHERE x.session_id = s.id AND x.revision = s.revision)`,
  title: (engine) => sql`substr(${engine.lower(sql`s.title`)}, 1, ${sql.lit(MAX_TITLE_KEY_CHARS)})`,
};

type SortKey = string | number | null;

/** The last row of a page: its value, and its id among rows with the same value. */
export interface SortPosition {
  readonly key: SortKey;
  readonly id: string;
}

interface SortedBy {
  /** The value of a session, to be selected as `sort_key`. */
  readonly key: RawBuilder<SortKey>;
  /** For ORDER BY. */
  readonly order: RawBuilder<unknown>;
  readonly isBeyond: (position: SortPosition) => Condition;
}

/** Values, then ids, in one direction; sessions without a value come last in both. */
export function sortedBy(engine: Engine, { sort, order }: ListOrder): SortedBy {
  const key = KEYS[sort](engine) as RawBuilder<SortKey>;
  const way = sql.raw(order);
  const beyond = sql.raw(order === 'desc' ? '<' : '>');
  return {
    key,
    // A start is never missing; without the first expression its index gives the order.
    order: sql`${sort === 'time' ? sql`` : sql`CASE WHEN ${key} IS NULL THEN 1 ELSE 0 END, `}${key} ${way}, s.id ${way}`,
    isBeyond: ({ key: last, id }) =>
      last === null
        ? sql`(${key} IS NULL AND s.id ${beyond} ${id})`
        : sql`(${key} ${beyond} ${last} OR (${key} = ${last} AND s.id ${beyond} ${id})${sort === 'time' ? sql`` : sql` OR ${key} IS NULL`})`,
  };
}

/** Lists by time keep the form their cursors always had. */
export function encodeSortPosition({ sort, order }: ListOrder, { key, id }: SortPosition): string {
  const value = sort === 'time' && order === 'desc' ? { s: key, i: id } : { by: sort, way: order, v: key, i: id };
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** Errors: usage, H15, also for a cursor of another order. */
export function decodeSortPosition({ sort, order }: ListOrder, cursor: string): SortPosition {
  const { s, i, by = 'time', way = 'desc', v = s } = readCursor(cursor);
  const isSound = typeof i === 'string' && !i.includes('\0') && isKey(sort, v);
  if (isSound && by === sort && way === order) return { key: v, id: i };
  const isOther = isSound && (by !== sort || way !== order);
  throw new FuelError('usage', isOther ? 'The cursor belongs to a list in another order.' : 'Invalid cursor.', {
    hint: 'Omit the cursor to start from the beginning.',
  });
}

function readCursor(cursor: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}

function isKey(sort: SessionSort, value: unknown): value is SortKey {
  if (value === null) return sort !== 'time';
  if (sort === 'time') return typeof value === 'string' && cleanTime(value) === value;
  return sort === 'title' ? typeof value === 'string' && !value.includes('\0') : Number.isSafeInteger(value);
}
