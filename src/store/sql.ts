import { type JoinBuilder, type RawBuilder, sql } from 'kysely';
import { invalidCursor } from '../domain/errors.ts';
import { cleanText, cleanTime } from './text.ts';

/**
 * A sum that both engines can return to JavaScript: capped at the largest exact integer. Reading a larger one fails the
 * whole query on SQLite and loses digits on PostgreSQL. Added up as floating-point numbers, which are exact up to there:
 * PostgreSQL adds up integers as decimal numbers, which takes several times as long. Null when there is nothing to add.
 */
export function safeSum(value: RawBuilder<unknown>): RawBuilder<number | null> {
  const most = sql.lit(Number.MAX_SAFE_INTEGER);
  const sum = sql`sum(CAST(${value} AS DOUBLE PRECISION))`;
  return sql<number | null>`CAST(CASE WHEN ${sum} > ${most} THEN ${most} ELSE ${sum} END AS BIGINT)`;
}

/** The same, but 0 when there is nothing to add. */
export function safeSumOrZero(value: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`coalesce(${safeSum(value)}, 0)`;
}

/**
 * A list for IN (…) or OR: its last item is repeated until the length is a power of two. Statements about any number of
 * sessions then have few texts, and most of them are prepared already.
 */
export function fewLengths<T>(items: readonly T[]): T[] {
  const last = items.at(-1);
  if (last === undefined) return [];
  const length = 2 ** Math.ceil(Math.log2(items.length));
  return [...items, ...Array.from({ length: length - items.length }, () => last)];
}

/** SQLite allows 32,766 parameters, and long statements take long to plan. */
const ITEMS_PER_STATEMENT = 500;

/** A list of any length in parts for one statement each. */
export function* inParts<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += ITEMS_PER_STATEMENT) yield items.slice(at, at + ITEMS_PER_STATEMENT);
}

/** The rows of all parts of a list. */
export async function readInParts<T, R>(
  items: readonly T[],
  read: (some: readonly T[]) => Promise<readonly R[]>,
): Promise<R[]> {
  const rows: R[] = [];
  for (const some of inParts(items)) for (const row of await read(some)) rows.push(row);
  return rows;
}

/** Whether a text begins with another one. Not LIKE, in which some characters of a name are wildcards and case may not matter. */
export function startsWith(text: RawBuilder<unknown>, start: string): RawBuilder<boolean> {
  return sql`substr(${text}, 1, length(${start})) = ${start}`;
}

/** The same for a part anywhere in a text. */
export function includes(text: RawBuilder<unknown>, part: string): RawBuilder<boolean> {
  return sql`replace(${text}, ${part}, '') <> ${text}`;
}

/** A text within a pattern of LIKE … ESCAPE '\\'. */
export function literally(text: string): string {
  return cleanText(text).replaceAll(/[\\%_]/g, '\\$&');
}

/** The assignments of an upsert that replaces these columns. */
export function replacing(columns: readonly string[]): string {
  return columns.map((column) => `${column} = excluded.${column}`).join(', ');
}

/** The name of device `d`: the one given to it, otherwise that of its machine. */
export const DEVICE_NAME = sql<string>`coalesce(d.custom_name, d.name)`;

/** Joins `sessions as s` to rows of a table, and so leaves out the rows of revisions that are no longer shown. */
export function ofCurrentRevision(alias: string) {
  return <DB, TB extends keyof DB>(join: JoinBuilder<DB, TB>): JoinBuilder<DB, TB> =>
    join.on(sql<boolean>`s.id = ${sql.ref(`${alias}.session_id`)} AND s.revision = ${sql.ref(`${alias}.revision`)}`);
}

/** The last row of a page in a list ordered by time and id; new rows never shift later pages. */
export interface Position {
  readonly at: string;
  readonly id: string;
}

export function encodePosition({ at, id }: Position): string {
  return Buffer.from(JSON.stringify({ s: at, i: id })).toString('base64url');
}

/** Decodes a cursor. Errors: usage, H15. */
export function decodePosition(cursor: string): Position {
  try {
    const { s, i } = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as { s: unknown; i: unknown };
    // cleanTime: no row has a year that one of the engines cannot store.
    if (typeof s === 'string' && typeof i === 'string' && cleanTime(s) === s && !i.includes('\0')) {
      return { at: s, id: i };
    }
  } catch {
    // Handled below: every broken cursor gets the same error.
  }
  throw invalidCursor();
}

/** Rows after the cursor: older ones in a `down` list, newer ones in an `up` list. */
export function isBeyond(
  columns: { readonly at: RawBuilder<unknown>; readonly id: RawBuilder<unknown> },
  { at, id }: Position,
  way: 'down' | 'up',
): RawBuilder<boolean> {
  const operator = sql.raw(way === 'down' ? '<' : '>');
  return sql`(${columns.at} ${operator} ${at} OR (${columns.at} = ${at} AND ${columns.id} ${operator} ${id}))`;
}

/** Expects one row more than the page size; returns the page and, if there is more, the position to continue from. */
export function cutPage<R>(
  rows: readonly R[],
  limit: number,
  positionOf: (row: R) => Position,
): { readonly page: readonly R[]; readonly next: string | null } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { page, next: rows.length > limit && last !== undefined ? encodePosition(positionOf(last)) : null };
}
