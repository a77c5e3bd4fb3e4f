import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { ContentBlock } from '../../../domain/transcript.ts';
import type { Engine, SqlValue, Tx } from '../../engine.ts';
import { type BlockKey, blockId, blockRows, type TableRows } from './revision-rows.ts';
import type { Revision } from './save-revision.ts';
import { removeBlocksFromIndex } from '../search/search-index.ts';

/**
 * A session that has grown: brings its rows to the state after a full parse and writes only those that differ. Runs in
 * one transaction, so readers see the state before or after.
 */

/** The fingerprint of each row by table; rows are identified by their position. */
export type RowMarks = ReadonlyMap<string, readonly string[]>;

const KEYS_PER_STATEMENT = 500;

export function markRows(tables: readonly TableRows[]): RowMarks {
  return new Map(tables.map(({ table, rows }) => [table, rows.map(markOf)]));
}

function markOf(row: readonly SqlValue[]): string {
  return hash('sha1', JSON.stringify(row), 'base64');
}

interface Extension {
  readonly tables: readonly TableRows[];
  readonly before: RowMarks;
  readonly after: RowMarks;
  readonly blocks: readonly ContentBlock[];
  /** Blocks that the last parse wrote from incomplete lines or files. */
  readonly unsureBlocks: readonly BlockKey[];
}

export async function extendRevision(engine: Engine, tx: Tx, revision: Revision, extension: Extension): Promise<void> {
  const { tables, before, after, blocks, unsureBlocks } = extension;
  await deleteKeys(tx, revision, 'content_blocks', 'id', unsureBlocks.map(blockId));
  await removeBlocksFromIndex(engine, tx, revision.sessionId, unsureBlocks);
  const added = blockRows(revision, blocks);
  await engine.insertMany(tx, added.table, added.columns, added.rows);
  for (const { table, columns, rows } of tables) {
    const was = before.get(table) ?? [];
    const is = after.get(table) ?? [];
    const changed = rows.filter((_, at) => is[at] !== was[at]);
    const gone = was.flatMap((mark, at) => (is[at] === mark ? [] : [at]));
    await deleteKeys(tx, revision, table, KEY_COLUMNS[table] ?? 'position', gone);
    if (changed.length > 0) await engine.insertMany(tx, table, columns, changed);
  }
}

const KEY_COLUMNS: Readonly<Record<string, string>> = { transcript_messages: 'ordinal', turns: 'ordinal' };

async function deleteKeys(
  tx: Tx,
  { sessionId, number }: Revision,
  table: string,
  column: string,
  keys: readonly SqlValue[],
): Promise<void> {
  for (let at = 0; at < keys.length; at += KEYS_PER_STATEMENT) {
    await sql`DELETE FROM ${sql.table(table)} WHERE session_id = ${sessionId} AND revision = ${number}
      AND ${sql.ref(column)} IN (${sql.join(keys.slice(at, at + KEYS_PER_STATEMENT))})`.execute(tx);
  }
}
