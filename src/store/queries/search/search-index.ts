import { sql } from 'kysely';
import type { PlaceKind } from '../../../domain/search.ts';
import type { Engine, SearchWriter, Tx } from '../../engine.ts';
import { fewLengths, inParts } from '../../sql.ts';
import { indexKey } from '../../text.ts';
import type { RowState } from '../transcript/save-revision.ts';

export interface IndexedSession extends RowState {
  /** The revision whose blocks are indexed; blocks added since are not. */
  readonly indexedRevision: number;
  readonly startedAt: string;
  readonly title: string | null;
  readonly initialPrompt: string | null;
  readonly summary: string | null;
  readonly summaryKind: string | null;
}

/** By id, without unknown ones. */
export async function readIndexedSessions(
  db: Tx,
  sessionIds: readonly string[],
): Promise<ReadonlyMap<string, IndexedSession>> {
  if (sessionIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('sessions')
    .select(['id', 'revision', 'rows_version as rowsVersion', 'indexed_revision as indexedRevision'])
    .select([
      'started_at as startedAt',
      'title',
      'initial_prompt as initialPrompt',
      'summary',
      'summary_kind as summaryKind',
    ])
    .where('id', 'in', fewLengths(sessionIds))
    .execute();
  return new Map(rows.map(({ id, ...session }) => [id, session]));
}

/** Those of the given sessions whose rows are all indexed. */
export async function filterIndexed(db: Tx, sessionIds: readonly string[]): Promise<readonly string[]> {
  if (sessionIds.length === 0) return [];
  const rows = await db
    .selectFrom('sessions')
    .select('id')
    .where('id', 'in', fewLengths(sessionIds))
    .where('indexed_version', '>', 0)
    .whereRef('indexed_version', '=', 'rows_version')
    .execute();
  return rows.map(({ id }) => id);
}

/** Notes in order, by session. */
export async function readNotes(db: Tx, sessionIds: readonly string[]) {
  if (sessionIds.length === 0) return new Map<string, never>();
  const rows = await db
    .selectFrom('session_notes')
    .select(['session_id as sessionId', 'id', 'text'])
    .where('session_id', 'in', fewLengths(sessionIds))
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return Map.groupBy(rows, ({ sessionId }) => sessionId);
}

export interface IndexBlock {
  readonly messageId: string;
  readonly origin: string;
  readonly blockOrder: number;
  readonly blockType: string;
  readonly callId: string | null;
  readonly text: string;
  /** The text is a tool input, as JSON. */
  readonly isJson: boolean;
}

const MESSAGES_PER_PAGE = 500;
/** F20: one page is held in memory; only a single message may be larger. */
const PAGE_BYTES = 4 * 1024 * 1024;

/**
 * Reads the text blocks of a session's revision in order, some messages at a time; optionally only those not indexed
 * yet.
 */
export async function* readIndexBlocks(
  db: Tx,
  sessionId: string,
  { revision, isNewOnly }: { readonly revision: number; readonly isNewOnly: boolean },
): AsyncGenerator<readonly IndexBlock[]> {
  for await (const range of pagesOf(db, sessionId, revision)) {
    const page = selectBlocks(db, sessionId, revision, range);
    const rows = await (isNewOnly ? page.where(isNotIndexed()) : page).execute();
    yield rows.flatMap(({ content_text, thinking_text, result_text, tool_input, ...block }) => {
      const plain = content_text ?? thinking_text ?? result_text;
      const text = plain ?? tool_input;
      return text ? [{ ...block, text, isJson: plain === null }] : [];
    });
  }
}

/** Message ordinals from `from` (inclusive) to `below` (exclusive). */
interface Ordinals {
  readonly from: number;
  readonly below: number;
}

async function* pagesOf(db: Tx, sessionId: string, revision: number): AsyncGenerator<Ordinals> {
  const { last } = await db
    .selectFrom('transcript_messages')
    .select(({ fn }) => fn.max('ordinal').as('last'))
    .where('session_id', '=', sessionId)
    .where('revision', '=', revision)
    .executeTakeFirstOrThrow();
  for (let from = 0; from <= (last ?? -1); from += MESSAGES_PER_PAGE) {
    const range = { from, below: from + MESSAGES_PER_PAGE };
    const sizes = await measureMessages(db, sessionId, revision, range);
    yield* cutPages(range, sizes);
  }
}

/** The size of each message that has text. An engine knows the size of a text without reading it, unless it is cast. */
function measureMessages(db: Tx, sessionId: string, revision: number, range: Ordinals) {
  const texts = [sql`b.content_text`, sql`b.thinking_text`, sql`b.result_text`, sql`CAST(b.tool_input AS TEXT)`].map(
    (text) => sql`coalesce(octet_length(${text}), 0)`,
  );
  return joinBlocks(db, sessionId, revision, range)
    .select(['m.ordinal', sql<number>`CAST(sum(${sql.join(texts, sql` + `)}) AS BIGINT)`.as('bytes')])
    .groupBy('m.ordinal')
    .orderBy('m.ordinal')
    .execute();
}

function* cutPages(range: Ordinals, sizes: readonly { readonly ordinal: number; readonly bytes: number }[]) {
  let from = range.from;
  let held = 0;
  for (const { ordinal, bytes } of sizes) {
    if (held > 0 && held + bytes > PAGE_BYTES) {
      yield { from, below: ordinal };
      from = ordinal;
      held = 0;
    }
    held += bytes;
  }
  yield { from, below: range.below };
}

function joinBlocks(db: Tx, sessionId: string, revision: number, { from, below }: Ordinals) {
  return db
    .selectFrom('transcript_messages as m')
    .innerJoin('content_blocks as b', (join) =>
      join
        .onRef('b.session_id', '=', 'm.session_id')
        .onRef('b.revision', '=', 'm.revision')
        .onRef('b.message_id', '=', 'm.id'),
    )
    .where('m.session_id', '=', sessionId)
    .where('m.revision', '=', revision)
    .where('m.ordinal', '>=', from)
    .where('m.ordinal', '<', below);
}

function selectBlocks(db: Tx, sessionId: string, revision: number, range: Ordinals) {
  return joinBlocks(db, sessionId, revision, range)
    .select(['m.id as messageId', 'm.origin', 'b.block_order as blockOrder', 'b.block_type as blockType'])
    .select(({ fn }) => fn.coalesce('b.tool_use_id', 'b.tool_result_id').as('callId'))
    .select(['b.content_text', 'b.thinking_text', 'b.result_text', 'b.tool_input'])
    .orderBy('m.ordinal')
    .orderBy('b.block_order');
}

function isNotIndexed() {
  return sql<boolean>`NOT EXISTS (SELECT 1 FROM search_documents d
    WHERE d.session_id = m.session_id AND d.message_id = m.id AND d.block_order = b.block_order)`;
}

/** A document of a session with its words. */
export interface IndexPlace {
  readonly messageId: string;
  readonly blockOrder: number;
  readonly part: number;
  readonly kind: PlaceKind;
  readonly callId: string | null;
  readonly chars: number;
  readonly words: string;
  readonly parts: string;
}

const PLACE_COLUMNS = ['id', 'session_id', 'message_id', 'block_order', 'part', 'kind', 'chars', 'call_id'] as const;

/** Texts of a session that are added to the index. */
export interface SessionPlaces {
  readonly id: string;
  readonly startedAt: string;
  readonly places: readonly IndexPlace[];
}

/** Adds documents to the index, each with the row that locates it. Returns the first of the consecutive ids of each session. */
export async function addToIndex(
  engine: Engine,
  writer: SearchWriter,
  sessions: readonly SessionPlaces[],
): Promise<readonly number[]> {
  await engine.oneAtATime(writer.tx, 'search_ids');
  const next = await nextIds(
    writer.tx,
    sessions.map(({ startedAt }) => firstIdOf(startedAt)),
  );
  const firsts = sessions.map(({ startedAt, places }) => {
    const minute = firstIdOf(startedAt);
    const first = next.get(minute) ?? minute;
    next.set(minute, first + places.length);
    return first;
  });
  const documents = sessions.flatMap(({ id, places }, at) =>
    places.map((place, nth) => ({ id: (firsts[at] ?? 0) + nth, sessionId: id, place })),
  );
  await writer.insertDocuments(
    PLACE_COLUMNS,
    documents.map(({ id, sessionId, place: { messageId, blockOrder, part, kind, chars, callId } }) => {
      return [id, sessionId, messageId, blockOrder, part, kind, chars, callId];
    }),
  );
  await writer.addWords(documents.map(({ id, place: { words, parts } }) => ({ id, words, parts })));
  return firsts;
}

/** The next free id of each minute, by its first id. */
async function nextIds(tx: Tx, firsts: readonly number[]): Promise<Map<number, number>> {
  const minutes = fewLengths([...new Set(firsts)]);
  if (minutes.length === 0) return new Map();
  const lasts = minutes.map(
    (first) => sql`SELECT CAST(${first} AS BIGINT) AS first, (SELECT max(id) FROM search_documents
      WHERE id >= ${first} AND id < ${first + IDS_PER_MINUTE}) AS last`,
  );
  const { rows } = await sql<{ first: number; last: number | null }>`${sql.join(lasts, sql` UNION ALL `)}`.execute(tx);
  return new Map(rows.map(({ first, last }) => [first, (last ?? first - 1) + 1]));
}

/** Lists the indexed documents of sessions, optionally only of some kinds. */
export async function findIndexed(
  db: Tx,
  sessionIds: readonly string[],
  kinds: readonly PlaceKind[] = [],
): Promise<number[]> {
  if (sessionIds.length === 0) return [];
  let select = db.selectFrom('search_documents').select('id').where('session_id', 'in', fewLengths(sessionIds));
  if (kinds.length > 0) select = select.where('kind', 'in', [...kinds]);
  return (await select.execute()).map(({ id }) => id);
}

export async function removeFromIndex({ tx, removeWords }: SearchWriter, ids: readonly number[]): Promise<void> {
  await removeWords(ids);
  for (const some of inParts(ids)) await tx.deleteFrom('search_documents').where('id', 'in', some).execute();
}

/** Removes all documents of a session. */
export async function removeSessionFromIndex(engine: Engine, tx: Tx, sessionId: string): Promise<void> {
  await engine.writeSearch(tx, async (writer) => removeFromIndex(writer, await findIndexed(writer.tx, [sessionId])));
}

export async function markIndexed(tx: Tx, sessionId: string, { revision, rowsVersion }: RowState): Promise<void> {
  await tx
    .updateTable('sessions')
    .set({ indexed_revision: revision, indexed_version: rowsVersion })
    .where('id', '=', sessionId)
    .execute();
}

/**
 * The session will be indexed again unless it is gone by then. On SQLite the index is a file of its own, so a process
 * that ends between the two files would otherwise leave a session that no search finds.
 */
export async function unmarkIndexed(db: Tx, sessionId: string): Promise<void> {
  await markIndexed(db, sessionId, { revision: 0, rowsVersion: 0 });
}

/** Removes rewritten blocks from the index by their ids. */
export async function removeBlocksFromIndex(
  engine: Engine,
  tx: Tx,
  sessionId: string,
  blocks: readonly { readonly messageId: string; readonly blockOrder: number }[],
): Promise<void> {
  const ids: number[] = [];
  for (const { messageId, blockOrder } of blocks) {
    const rows = await tx
      .selectFrom('search_documents')
      .select('id')
      .where('session_id', '=', sessionId)
      .where('message_id', '=', indexKey(messageId))
      .where('block_order', '=', blockOrder)
      .execute();
    ids.push(...rows.map(({ id }) => id));
  }
  if (ids.length > 0) await engine.writeSearch(tx, (writer) => removeFromIndex(writer, ids));
}

/**
 * Ids of search documents increase with the minute in which the session started, so that reading an index backwards
 * gives the newest first without sorting. 2^26 minutes from 2020 are 127 years; with 2^27 documents per minute the id
 * is still a safe integer.
 */
const FIRST_MINUTE = Date.UTC(2020, 0, 1) / 60_000;
const LAST_MINUTE = 2 ** 26 - 1;
export const IDS_PER_MINUTE = 2 ** 27;

export const EVERY_ID = { from: 0, below: Number.MAX_SAFE_INTEGER } as const;

/** The first id of the sessions that started in the same minute. */
export function firstIdOf(time: string): number {
  const minute = Math.floor(Date.parse(time) / 60_000) - FIRST_MINUTE;
  return Math.min(Math.max(0, minute), LAST_MINUTE) * IDS_PER_MINUTE;
}
