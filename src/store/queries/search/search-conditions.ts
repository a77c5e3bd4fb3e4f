import { type RawBuilder, sql } from 'kysely';
import { fieldsOf, type SearchNode } from '../../../domain/search.ts';
import type { Engine, IdRange, WordQuery } from '../../engine.ts';
import { literally } from '../../sql.ts';
import { placeCondition, placeTruth } from '../sessions/field-conditions.ts';
import type { Condition } from '../sessions/session-conditions.ts';
import { EVERY_ID } from './search-index.ts';

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

/** Whether index and fields alone decide what matches, apart from phrases that the index is not sure of. */
export function isDecidedByIndex(engine: Engine, node: SearchNode): boolean {
  return toWordQuery(node) !== null && isDecided(engine, node);
}

function isDecided(engine: Engine, node: SearchNode): boolean {
  if (node.kind === 'text') return true;
  if (node.kind === 'all') return node.nodes.every((item) => isDecided(engine, item));
  const isAskedOfIndex = node.kind === 'any' && fieldsOf(node).length === 0 && toWordQuery(node) !== null;
  return isAskedOfIndex || exactly(engine, node, EVERY_ID) !== null;
}

function hasWords(engine: Engine, node: SearchNode, range: IdRange): Condition | null {
  const words = toWordQuery(node);
  return words === null ? null : sql`d.id IN (SELECT id FROM (${engine.searchIds(words, range)}) w)`;
}

function negate(condition: Condition | null): Condition | null {
  return condition === null ? null : sql`NOT (${condition})`;
}

function combine(conditions: readonly Condition[], by: ' AND ' | ' OR '): Condition | null {
  return conditions.length === 0 ? null : sql`(${sql.join(conditions, sql.raw(by))})`;
}

/** Narrows a search to what the full-text index supports: returns all matches and possibly more. */
export function toWordQuery(node: SearchNode): WordQuery | null {
  if (node.kind === 'text') return { kind: 'words', words: node.words, isPrefix: node.isPrefix };
  if (node.kind === 'any') {
    const queries = node.nodes.map(toWordQuery);
    return queries.every((query) => query !== null) ? { kind: 'any', queries } : null;
  }
  if (node.kind !== 'all') return null;
  const queries = node.nodes.map(toWordQuery).filter((query) => query !== null);
  const without = node.nodes.map(absentWord).filter((query) => query !== null);
  return queries.length === 0 ? null : { kind: 'all', queries, without };
}

/** The index may overmatch phrases, so the absence of one must be checked in the text. */
function absentWord(node: SearchNode): WordQuery | null {
  const isWord = node.kind === 'not' && node.node.kind === 'text' && node.node.words.length === 1;
  return isWord ? toWordQuery(node.node) : null;
}

/** Text conditions the database can evaluate: whether a text contains one of some pieces, in lower-case ASCII. */

/**
 * Condition on document `d` of session `s`; null when there is nothing to search for. It selects the text itself rather
 * than testing EXISTS, for which PostgreSQL would look up all texts that contain the piece.
 */
function placeContains(engine: Engine, pieces: readonly string[]): Condition | null {
  if (pieces.length === 0) return null;
  return sql`CASE d.kind
    WHEN 'title' THEN ${containsAny(engine, sql`s.title`, pieces)}
    WHEN 'summary' THEN ${containsAny(engine, sql`s.summary`, pieces)}
    WHEN 'note' THEN (SELECT ${containsAny(engine, sql`n.text`, pieces)} FROM session_notes n WHERE n.id = d.message_id)
    WHEN 'document' THEN (SELECT ${containsAny(engine, sql`t.text`, pieces)} FROM documents t WHERE t.id = d.message_id)
    ELSE (SELECT ${containsAny(engine, engine.blockText, pieces)} FROM content_blocks b
      WHERE b.session_id = d.session_id AND b.revision = s.revision
      AND b.message_id = d.message_id AND b.block_order = d.block_order) END`;
}

/** The ids of all such documents, and of some outdated ones, from an index over the texts. */
export function idsOfTexts(engine: Engine, pieces: readonly string[]): RawBuilder<{ id: number }> {
  return sql`
    SELECT d.id FROM content_blocks b JOIN search_documents d
      ON d.session_id = b.session_id AND d.message_id = b.message_id AND d.block_order = b.block_order
      WHERE ${containsAny(engine, engine.blockText, pieces)}
    UNION SELECT d.id FROM sessions s JOIN search_documents d ON d.session_id = s.id AND d.message_id = ''
      WHERE ${containsAny(engine, sql`s.title`, pieces)} OR ${containsAny(engine, sql`s.summary`, pieces)}
    UNION SELECT d.id FROM session_notes n JOIN search_documents d
      ON d.session_id = n.session_id AND d.message_id = n.id
      WHERE ${containsAny(engine, sql`n.text`, pieces)}
    UNION SELECT d.id FROM documents t JOIN search_documents d ON d.message_id = t.id AND d.kind = 'document'
      WHERE ${containsAny(engine, sql`t.text`, pieces)}`;
}

function containsAny(engine: Engine, text: RawBuilder<unknown>, pieces: readonly string[]): Condition {
  const each = pieces.map((piece) => engine.contains(text, `%${literally(piece)}%`));
  return sql`(${sql.join(each, sql` OR `)})`;
}
