import { sql } from 'kysely';
import { fieldsOf, type SearchNode } from '../../../domain/search.ts';
import type { Engine, IdRange } from '../../engine.ts';
import { placeCondition, placeTruth } from '../sessions/field-conditions.ts';
import type { Condition } from '../sessions/text-conditions.ts';
import { placeContains } from './search-texts.ts';
import { absentWord, toWordQuery } from './word-query.ts';

/** A necessary condition for a match; the text decides. Null when there is none. */
export function widen(engine: Engine, node: SearchNode, range: IdRange): Condition | null {
  if (node.kind === 'field') return placeCondition(engine, node);
  if (node.kind === 'not') return negate(exactly(engine, node.node, range));
  const isAskedOfIndex = toWordQuery(node) !== null;
  if (node.kind === 'any') {
    if (isAskedOfIndex && fieldsOf(node).length === 0) return null;
    const inner = node.nodes.map((item) => narrow([hasWords(engine, item, range), widen(engine, item, range)]));
    return inner.every((item) => item !== null) ? combine(inner, ' OR ') : null;
  }
  if (node.kind === 'pattern') return placeContains(engine, node.texts);
  if (node.kind !== 'all') return null;
  const rest = isAskedOfIndex ? node.nodes.filter((item) => absentWord(item) === null) : node.nodes;
  return narrow(rest.map((item) => widen(engine, item, range)));
}

function narrow(conditions: readonly (Condition | null)[]): Condition | null {
  return combine(
    conditions.filter((condition) => condition !== null),
    ' AND ',
  );
}

/** The exact condition, where SQL can express it; a phrase needs the text. */
export function exactly(engine: Engine, node: SearchNode, range: IdRange): Condition | null {
  if (node.kind === 'field') return placeTruth(engine, node);
  if (node.kind === 'text') return node.words.length === 1 ? hasWords(engine, node, range) : null;
  if (node.kind === 'not') return negate(exactly(engine, node.node, range));
  if (node.kind === 'pattern') return null;
  const inner = node.nodes.map((item) => exactly(engine, item, range));
  return inner.every((item) => item !== null) ? combine(inner, node.kind === 'all' ? ' AND ' : ' OR ') : null;
}

function hasWords(engine: Engine, node: SearchNode, range: IdRange): Condition | null {
  const words = toWordQuery(node);
  return words === null ? null : sql`d.id IN (${engine.searchIds(words, range)})`;
}

function negate(condition: Condition | null): Condition | null {
  return condition === null ? null : sql`NOT (${condition})`;
}

function combine(conditions: readonly Condition[], by: ' AND ' | ' OR '): Condition | null {
  return conditions.length === 0 ? null : sql`(${sql.join(conditions, sql.raw(by))})`;
}
