import { type RawBuilder, sql } from 'kysely';
import { FuelError } from '../domain/errors.ts';
import { cleanTime } from './text.ts';

/** The last row of a page, in lists ordered by a time and then an id: new rows never shift the pages after it. */
export interface Place {
  readonly at: string;
  readonly id: string;
}

export function encodePlace({ at, id }: Place): string {
  return Buffer.from(JSON.stringify({ s: at, i: id })).toString('base64url');
}

/** Errors: usage, H15. */
export function decodePlace(cursor: string): Place {
  try {
    const { s, i } = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as { s: unknown; i: unknown };
    // cleanTime: a year that one engine cannot hold is no place in any list of ours.
    if (typeof s === 'string' && typeof i === 'string' && cleanTime(s) === s && !i.includes('\0')) {
      return { at: s, id: i };
    }
  } catch {
    // Falls through to the one answer for every broken cursor.
  }
  throw new FuelError('usage', 'The cursor is not one that fuel-code gave out.', {
    hint: 'Leave the cursor out to start from the beginning.',
  });
}

/** Rows that come after the place: older ones in a list that goes `down`, newer ones in one that goes `up`. */
export function isBeyond(
  columns: { readonly at: RawBuilder<unknown>; readonly id: RawBuilder<unknown> },
  { at, id }: Place,
  way: 'down' | 'up',
): RawBuilder<boolean> {
  const operator = sql.raw(way === 'down' ? '<' : '>');
  return sql`(${columns.at} ${operator} ${at} OR (${columns.at} = ${at} AND ${columns.id} ${operator} ${id}))`;
}

/** One row more than wanted was asked for: the page, and the place to go on from if there is more. */
export function cutPage<R>(
  rows: readonly R[],
  limit: number,
  placeOf: (row: R) => Place,
): { readonly page: readonly R[]; readonly next: string | null } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { page, next: rows.length > limit && last !== undefined ? encodePlace(placeOf(last)) : null };
}
