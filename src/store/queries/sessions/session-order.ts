import { type RawBuilder, sql } from 'kysely';
import { invalidCursor } from '../../../domain/errors.ts';
import type { ListOrder, SessionSort } from '../../../domain/session-sort.ts';
import type { Engine } from '../../engine.ts';
import { cleanTime } from '../../text.ts';
import type { Condition } from './session-conditions.ts';

/** Tokens of all kinds; null while a session is not parsed. */
export const TOKENS = sql<number | null>`(s.tokens_in + coalesce(s.tokens_out, 0)
  + coalesce(s.cache_read_tokens, 0) + coalesce(s.cache_write_tokens, 0))`;

/** Longer texts would not fit into a cursor; texts that differ only after this count as the same. */
const MAX_KEY_CHARS = 100;

const KEYS: Readonly<Record<SessionSort, (engine: Engine) => RawBuilder<unknown>>> = {
  time: () => sql`s.started_at`,
  cost: () => sql`s.cost_nanos`,
  duration: () => sql`s.duration_ms`,
  tokens: () => TOKENS,
  messages: () => sql`s.total_messages`,
  lines: () => sql`(s.lines_added + s.lines_removed)`,
  title: (engine) => textKey(engine, sql`s.title`),
  workspace: (engine) => textKey(engine, sql`w.display_name`),
};

function textKey(engine: Engine, text: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`substr(${engine.lower(text)}, 1, ${sql.lit(MAX_KEY_CHARS)})`;
}

type SortKey = string | number | null;

/** The last row of a page: its value, and its start and id among rows with the same value. */
export interface SortPosition {
  readonly key: SortKey;
  readonly at: string;
  readonly id: string;
}

interface SortedBy {
  /** The value of a session, to be selected as `sort_key`. */
  readonly key: RawBuilder<SortKey>;
  /** For ORDER BY. */
  readonly order: RawBuilder<unknown>;
  readonly isBeyond: (position: SortPosition) => Condition;
}

/** For a query over sessions `s` and workspaces `w`. */
export function sortedBy(engine: Engine, { sort, order }: ListOrder): SortedBy {
  const key = KEYS[sort](engine) as RawBuilder<SortKey>;
  const beyond = sql.raw(order === 'desc' ? '<' : '>');
  const isOlder = ({ at, id }: SortPosition): Condition =>
    sql`(s.started_at < ${at} OR (s.started_at = ${at} AND s.id < ${id}))`;
  // A start is never missing, and its own tie-breaker: this form can use its index.
  if (sort === 'time') {
    return {
      key,
      order: sql`s.started_at ${sql.raw(order)}, s.id DESC`,
      isBeyond: ({ at, id }) => sql`(s.started_at ${beyond} ${at} OR (s.started_at = ${at} AND s.id < ${id}))`,
    };
  }
  return {
    key,
    order: sql`CASE WHEN ${key} IS NULL THEN 1 ELSE 0 END, ${key} ${sql.raw(order)}, s.started_at DESC, s.id DESC`,
    isBeyond: (position) =>
      position.key === null
        ? sql`(${key} IS NULL AND ${isOlder(position)})`
        : sql`(${key} ${beyond} ${position.key} OR (${key} = ${position.key} AND ${isOlder(position)}) OR ${key} IS NULL)`,
  };
}

/** Lists by time keep the form their cursors always had. */
export function encodeSortPosition({ sort, order }: ListOrder, { key, at, id }: SortPosition): string {
  const value = sort === 'time' && order === 'desc' ? { s: at, i: id } : { by: sort, way: order, v: key, s: at, i: id };
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** Errors: usage, H15, also for a cursor of another order. */
export function decodeSortPosition({ sort, order }: ListOrder, cursor: string): SortPosition {
  const { s, i, by = 'time', way = 'desc', v = s } = readCursor(cursor);
  const isSound = isStart(s) && typeof i === 'string' && !i.includes('\0');
  if (isSound && by === sort && way === order && isKey(sort, v)) return { key: v, at: s, id: i };
  const isOther = isSound && (by !== sort || way !== order);
  throw invalidCursor(isOther ? 'The cursor belongs to a list in another order.' : undefined);
}

/** No row has a year that one of the engines cannot store. */
function isStart(value: unknown): value is string {
  return typeof value === 'string' && cleanTime(value) === value;
}

function readCursor(cursor: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}

const TEXT_SORTS: readonly SessionSort[] = ['title', 'workspace'];

function isKey(sort: SessionSort, value: unknown): value is SortKey {
  if (sort === 'time') return isStart(value);
  if (value === null) return true;
  return TEXT_SORTS.includes(sort) ? typeof value === 'string' && !value.includes('\0') : Number.isSafeInteger(value);
}
