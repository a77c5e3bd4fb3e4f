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

/** Whether an item of a list matches. Lists are stored as JSON, whose punctuation must not match. */
export function hasItem(
  engine: Engine,
  list: RawBuilder<unknown>,
  matches: typeof equals,
  value: TextValue,
): Condition {
  return sql`EXISTS (SELECT 1 FROM ${engine.listItems(list)} WHERE ${matches(engine, sql`item.value`, value)})`;
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
