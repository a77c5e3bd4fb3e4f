import { type RawBuilder, sql } from 'kysely';
import type { FieldValue } from '../../../domain/search.ts';
import type { Engine } from '../../engine.ts';
import { cleanText } from '../../text.ts';

/** How columns match the text of a field. Case does not matter. */
export type Condition = RawBuilder<boolean>;
export type TextValue = Extract<FieldValue, { type: 'text' }>;

export function equals(engine: Engine, column: RawBuilder<unknown>, value: TextValue): Condition {
  return value.isPrefix ? begins(engine, column, value) : sql`${engine.lower(column)} = ${cleanText(value.text)}`;
}

/** A name in a list, which both engines store as JSON: every name is between quotes. */
export function isListed(engine: Engine, column: RawBuilder<unknown>, value: TextValue): Condition {
  const end = value.isPrefix ? '' : '"';
  return like(engine, sql`CAST(${column} AS TEXT)`, `%"${escapeLike(value.text)}${end}%`);
}

export function begins(engine: Engine, column: RawBuilder<unknown>, value: TextValue): Condition {
  return like(engine, column, `${escapeLike(value.text)}%`);
}

export function contains(engine: Engine, column: RawBuilder<unknown>, value: TextValue): Condition {
  return like(engine, column, `%${escapeLike(value.text)}%`);
}

function like(engine: Engine, column: RawBuilder<unknown>, pattern: string): Condition {
  return sql`${engine.lower(column)} LIKE ${pattern} ESCAPE '\\'`;
}

function escapeLike(value: string): string {
  return cleanText(value).replaceAll(/[\\%_]/g, '\\$&');
}
