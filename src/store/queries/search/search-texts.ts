import { type RawBuilder, sql } from 'kysely';
import type { Engine } from '../../engine.ts';
import type { Condition } from '../sessions/text-conditions.ts';

/** Text conditions the database can evaluate: whether a text contains one of some pieces, in lower-case ASCII. */

/**
 * Condition on document `d` of session `s`; null when there is nothing to search for. It selects the text itself rather
 * than testing EXISTS, for which PostgreSQL would look up all texts that contain the piece.
 */
export function placeContains(engine: Engine, pieces: readonly string[]): Condition | null {
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
  const each = pieces.map((piece) => engine.contains(text, `%${piece.replaceAll(/[%_]/g, '\\$&')}%`));
  return sql`(${sql.join(each, sql` OR `)})`;
}
