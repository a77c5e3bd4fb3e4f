import { sql } from 'kysely';
import type { SearchHit } from '../../domain/query.ts';
import type { Engine, Tx } from '../engine.ts';
import type { RowState } from './save-revision.ts';

export interface IndexText {
  readonly messageId: string;
  readonly blockOrder: number;
  readonly kind: string;
  readonly text: string;
}

/** The texts of a session's current revision, a page of blocks at a time. */
export async function* readIndexTexts(
  db: Tx,
  sessionId: string,
  revision: number,
): AsyncGenerator<readonly IndexText[]> {
  const BLOCKS_PER_PAGE = 500;
  for (let after = ''; ; ) {
    const rows = await db
      .selectFrom('content_blocks')
      .select([
        'id',
        'message_id',
        'block_order',
        'block_type',
        'content_text',
        'thinking_text',
        'tool_input',
        'result_text',
      ])
      .where('session_id', '=', sessionId)
      .where('revision', '=', revision)
      .where('id', '>', after)
      .orderBy('id')
      .limit(BLOCKS_PER_PAGE)
      .execute();
    const last = rows.at(-1);
    if (!last) return;
    yield rows.flatMap((row) => {
      const text = row.content_text ?? row.thinking_text ?? row.result_text ?? row.tool_input;
      return text ? [{ messageId: row.message_id, blockOrder: row.block_order, kind: row.block_type, text }] : [];
    });
    after = last.id;
  }
}

export interface IndexWords extends Omit<IndexText, 'text'> {
  readonly words: string;
}

/** Puts words into the index, each with the document row that says where they stand. */
export async function addToIndex(
  engine: Engine,
  tx: Tx,
  sessionId: string,
  revision: number,
  documents: readonly IndexWords[],
): Promise<void> {
  await engine.oneAtATime(tx, 'search_ids');
  const { rows } = await sql<{ last: number | null }>`SELECT max(id) AS last FROM search_documents`.execute(tx);
  const first = (rows[0]?.last ?? 0) + 1;
  await engine.insertMany(
    tx,
    'search_documents',
    ['id', 'session_id', 'revision', 'message_id', 'block_order', 'kind'],
    documents.map((d, at) => [first + at, sessionId, revision, d.messageId, d.blockOrder, d.kind]),
  );
  await engine.addSearchWords(
    tx,
    documents.map(({ words }, at) => ({ id: first + at, words })),
  );
}

/** Removes what the index holds of a session: before it is indexed again, or for good. */
export async function removeFromIndex(engine: Engine, tx: Tx, sessionId: string): Promise<void> {
  const rows = await tx.selectFrom('search_documents').select('id').where('session_id', '=', sessionId).execute();
  await engine.removeSearchWords(
    tx,
    rows.map(({ id }) => id),
  );
  await tx.deleteFrom('search_documents').where('session_id', '=', sessionId).execute();
}

export async function markIndexed(tx: Tx, sessionId: string, { revision, parsedVersion }: RowState): Promise<void> {
  await tx
    .updateTable('sessions')
    .set({ indexed_revision: revision, indexed_version: parsedVersion })
    .where('id', '=', sessionId)
    .execute();
}

export interface FoundBlock extends Omit<SearchHit, 'snippet'> {
  readonly text: string;
}

/** The blocks behind the documents that hold all words, best first. */
export async function findBlocks(
  engine: Engine,
  words: readonly string[],
  limit: number,
): Promise<readonly FoundBlock[]> {
  const ids = await engine.findSearchWords(words, limit);
  if (ids.length === 0) return [];
  const rows = await engine.kysely
    .selectFrom('search_documents as d')
    .innerJoin('sessions as s', (join) =>
      join.onRef('s.id', '=', 'd.session_id').onRef('s.revision', '=', 'd.revision'),
    )
    .innerJoin('content_blocks as b', (join) =>
      join
        .onRef('b.session_id', '=', 'd.session_id')
        .onRef('b.revision', '=', 'd.revision')
        .onRef('b.message_id', '=', 'd.message_id')
        .onRef('b.block_order', '=', 'd.block_order'),
    )
    .innerJoin('transcript_messages as m', (join) =>
      join
        .onRef('m.session_id', '=', 'd.session_id')
        .onRef('m.revision', '=', 'd.revision')
        .onRef('m.id', '=', 'd.message_id'),
    )
    .select(['d.id as documentId', 'd.session_id', 'd.message_id', 'm.ordinal', 'd.kind', 's.title', 's.started_at'])
    .select(
      sql<string>`coalesce(b.content_text, b.thinking_text, b.result_text, CAST(b.tool_input AS TEXT), '')`.as('text'),
    )
    .where('d.id', 'in', [...ids])
    .execute();
  const place = new Map(ids.map((id, at) => [id, at]));
  return rows
    .toSorted((a, b) => (place.get(a.documentId) ?? 0) - (place.get(b.documentId) ?? 0))
    .map(({ documentId: _, ...hit }) => hit);
}
