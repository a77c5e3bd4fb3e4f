import { type RawBuilder, sql } from 'kysely';
import type { DocumentPage, DocumentRow } from '../../../api/structure.ts';
import type { DocumentKind } from '../../../domain/transcript-lists.ts';
import type { Engine, Tx } from '../../engine.ts';
import { fewLengths, includes, inParts, ofCurrentRevision, startsWith } from '../../sql.ts';
import { cleanText, cleanTextOrNull, cleanTime, cutText, indexKey, readJson } from '../../text.ts';
import { findDeleted } from '../deletions/deletions.ts';

/** A file whose texts are not stored yet or have changed since. */
export interface StaleDocumentFile {
  readonly id: string;
  readonly kind: string;
  readonly path: string;
  readonly device_id: string;
  readonly session_id: string | null;
  readonly generation: number;
  readonly size_bytes: number;
  /** Bytes of this generation whose texts are stored. */
  readonly read_bytes: number;
}

const FILES_AT_ONCE = 200;

/** Finds archived files of plans, to-do lists, tasks, session memory and history that are not fully read, by id. */
export async function findStaleDocumentFiles(db: Tx, afterId: string): Promise<readonly StaleDocumentFile[]> {
  const { rows } = await sql<StaleDocumentFile>`
    SELECT f.id, f.kind, f.path, f.device_id, f.session_id, f.generation, g.size_bytes,
      CASE WHEN d.generation = f.generation THEN d.read_bytes ELSE 0 END AS read_bytes
    FROM source_files f JOIN generations g ON g.source_file_id = f.id AND g.number = f.generation
    LEFT JOIN document_files d ON d.source_file_id = f.id
    WHERE (f.kind IN ('plan', 'tasks', 'history') OR (f.kind = 'session_file' AND f.path LIKE '%/session-memory/%'))
      AND f.id > ${afterId} AND (d.source_file_id IS NULL OR d.generation <> f.generation OR d.size_bytes <> g.size_bytes)
    ORDER BY f.id LIMIT ${FILES_AT_ONCE}`.execute(db);
  return rows;
}

export interface NewDocument {
  readonly entry: number;
  readonly kind: DocumentKind;
  readonly sessionId: string | null;
  readonly title: string | null;
  readonly text: string;
  readonly timestamp: string | null;
}

const COLUMNS = [
  'id',
  'source_file_id',
  'entry',
  'device_id',
  'session_id',
  'kind',
  'path',
  'title',
  'text',
  'timestamp',
] as const;

/** Replaces the stored texts of a file, or adds to them when only appended bytes were read. */
export async function saveDocuments(
  engine: Engine,
  tx: Tx,
  file: StaleDocumentFile,
  documents: readonly NewDocument[],
  readBytes: number,
): Promise<void> {
  if (file.read_bytes === 0) await tx.deleteFrom('documents').where('source_file_id', '=', file.id).execute();
  const deleted = await findDeleted(
    tx,
    documents.flatMap(({ sessionId }) => sessionId ?? []),
  );
  const kept = documents.filter(({ sessionId }) => sessionId === null || !deleted.has(sessionId));
  const rows = kept.map((document) => [
    `${file.id}:${document.entry}`,
    file.id,
    document.entry,
    file.device_id,
    document.sessionId === null ? null : indexKey(document.sessionId),
    document.kind,
    file.path,
    cleanTextOrNull(document.title),
    cutText(document.text).text,
    cleanTime(document.timestamp),
  ]);
  if (rows.length > 0) await engine.insertMany(tx, 'documents', COLUMNS, rows);
  const state = { generation: file.generation, size_bytes: file.size_bytes, read_bytes: readBytes };
  await tx
    .insertInto('document_files')
    .values({ source_file_id: file.id, ...state })
    .onConflict((conflict) => conflict.column('source_file_id').doUpdateSet(state))
    .execute();
}

/** Sessions of a device that wrote a plan of this name. */
export async function findSessionsOfPlan(db: Tx, deviceId: string, slug: string): Promise<readonly string[]> {
  const name = cleanText(slug);
  const { rows } = await sql<{ id: string }>`SELECT s.id FROM sessions s WHERE s.device_id = ${deviceId}
    AND (${includes(sql`CAST(s.metadata AS TEXT)`, JSON.stringify(name))}
      OR EXISTS (SELECT 1 FROM plans p WHERE p.session_id = s.id AND p.revision = s.revision
        AND ${includes(sql`p.file_path`, `/plans/${name}.md`)}))`.execute(db);
  return rows.map(({ id }) => id);
}

/** Lists the documents of a session: its own files and the plans it named. */
export async function listDocuments(
  db: Tx,
  sessionId: string,
  { after = -1, limit }: { readonly after?: number; readonly limit: number },
): Promise<DocumentPage> {
  const offset = after + 1;
  const { rows } = await sql<DocumentRow>`SELECT d.id, d.kind, d.path, d.title, d.text, d.timestamp FROM documents d
    WHERE ${isBeside(sessionId, (await readPlanSlugs(db, [sessionId])).get(sessionId) ?? [])}
    ORDER BY d.kind, d.path, d.entry, d.id LIMIT ${limit + 1} OFFSET ${offset}`.execute(db);
  const page = rows.slice(0, limit);
  return { documents: page, next_after: rows.length > limit ? offset + page.length - 1 : null };
}

/** How to find the documents of a session. */
export interface SessionDocuments {
  /** False when there are certainly none. */
  readonly hasDocuments: boolean;
  readonly planSlugs: readonly string[];
}

/** By session, without sessions that have none. */
export async function findDocuments(
  db: Tx,
  sessionIds: readonly string[],
): Promise<ReadonlyMap<string, SessionDocuments>> {
  if (sessionIds.length === 0) return new Map();
  const owners = await db
    .selectFrom('documents')
    .select('session_id')
    .distinct()
    .where('session_id', 'in', fewLengths(sessionIds))
    .execute();
  const slugs = await readPlanSlugs(db, sessionIds);
  const ids = new Set([...owners.flatMap(({ session_id }) => session_id ?? []), ...slugs.keys()]);
  return new Map([...ids].map((id) => [id, { hasDocuments: true, planSlugs: slugs.get(id) ?? [] }]));
}

/** Reads the documents of a session for search, without typed prompts that the transcript contains verbatim. */
export async function readDocumentTexts(
  db: Tx,
  sessionId: string,
  { revision, planSlugs }: { readonly revision: number } & Pick<SessionDocuments, 'planSlugs'>,
): Promise<readonly { readonly id: string; readonly text: string }[]> {
  const { rows } = await sql<{ id: string; kind: string; text: string }>`SELECT d.id, d.kind, d.text FROM documents d
    WHERE ${isBeside(sessionId, planSlugs)} ORDER BY d.id`.execute(db);
  const typed = rows.flatMap(({ kind, text }) => (kind === 'history' ? [text] : []));
  const repeated = await findBlockTexts(db, sessionId, revision, typed);
  return rows.filter(({ kind, text }) => kind !== 'history' || !repeated.has(text));
}

/** Those of the texts that are the text of a block. Only blocks of the same lengths are read. */
async function findBlockTexts(
  db: Tx,
  sessionId: string,
  revision: number,
  texts: readonly string[],
): Promise<ReadonlySet<string>> {
  const wanted = new Set(texts);
  const lengths = [...new Set(texts.map((text) => Buffer.byteLength(text)))];
  const found = new Set<string>();
  for (const some of inParts(lengths)) {
    const { rows } = await sql<{ text: string }>`SELECT b.content_text AS text FROM content_blocks b
      WHERE b.session_id = ${sessionId} AND b.revision = ${revision}
        AND octet_length(b.content_text) IN (${sql.join(fewLengths(some))})`.execute(db);
    for (const { text } of rows) if (wanted.has(text)) found.add(text);
  }
  return found;
}

function isBeside(sessionId: string, slugs: readonly string[]): RawBuilder<boolean> {
  const plans = slugs.map((slug) => isFileOfPlan(sql`d.path`, slug));
  const own = sql<boolean>`d.session_id = ${sessionId}`;
  if (plans.length === 0) return own;
  // The bound lets an index skip the history, which has thousands of entries.
  return sql`(${own} OR (d.kind = 'plan' AND d.device_id = (SELECT device_id FROM sessions WHERE id = ${sessionId})
    AND d.path >= 'plans/' AND (${sql.join(plans, sql` OR `)})))`;
}

/** The file of a plan, and those of sub-agents beside it. */
export function isFileOfPlan(path: RawBuilder<unknown>, slug: string): RawBuilder<boolean> {
  return sql`(${path} = ${`plans/${slug}.md`} OR ${startsWith(path, `plans/${slug}-agent-`)})`;
}

/** Names of the plan files that sessions wrote, without extension; sessions that wrote none are left out. */
export async function readPlanSlugs(
  db: Tx,
  sessionIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const ids = fewLengths(sessionIds);
  const sessions = await db.selectFrom('sessions').select(['id', 'metadata']).where('id', 'in', ids).execute();
  const rows = await db
    .selectFrom('plans as p')
    .innerJoin('sessions as s', ofCurrentRevision('p'))
    .select(['p.session_id', 'p.file_path'])
    .where('p.session_id', 'in', ids)
    .where('p.file_path', 'is not', null)
    .orderBy('p.session_id')
    .orderBy('p.position')
    .execute();
  const plans = Map.groupBy(rows, ({ session_id }) => session_id);
  return new Map(
    sessions.flatMap(({ id, metadata }): [string, readonly string[]][] => {
      const { slugs = [] } = readJson<{ readonly slugs?: readonly string[] }>(metadata);
      const named = (plans.get(id) ?? []).flatMap(({ file_path }) => slugOf(file_path ?? '') ?? []);
      const all = [...new Set([...slugs, ...named])].map(cleanText);
      return all.length === 0 ? [] : [[id, all]];
    }),
  );
}

function slugOf(path: string): string | undefined {
  return /[\\/]plans[\\/]([^\\/]+)\.md$/.exec(path)?.[1];
}
